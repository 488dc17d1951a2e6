// The description of a platform: names with values, a line each.
#ifndef DESCRIPTION_HPP
#define DESCRIPTION_HPP

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

struct Description {
  std::map<std::string, std::vector<double>> values;

  explicit Description(const char *path) {
    std::ifstream file(path ? path : "");
    if (!file) throw std::runtime_error(std::string("HCUBE_PLATFORM = ") + (path ? path : "") + ": expected a file");
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string name;
      if (!(words >> name) || name[0] == '#') continue;
      for (double value; words >> value;) values[name].push_back(value);
    }
  }
  const std::vector<double> &list(const std::string &name) const {
    const auto found = values.find(name);
    if (found == values.end() || found->second.empty()) throw std::runtime_error("HCUBE_PLATFORM: no value of " + name);
    return found->second;
  }
  double one(const std::string &name) const {
    return list(name)[0];
  }
  bool has(const std::string &name) const {
    return values.count(name) > 0;
  }
};

#endif
