// The platform of a simulation, built from a description that `hcube-lab simulate` writes
// (HCUBE_PLATFORM names it; the format is in lab/src/simulate/platform.rs).
//
// SimGrid's own torus wraps around in every dimension, and only its links have latency and bandwidth. Here a
// node has a port to the network, which limits the rates of sending and receiving and has the latency of a
// message; links between nodes or switches are added, so that a message of n bytes takes
// latency + links * latency per link + n / bandwidth if no other is active; routes that share a link share its
// bandwidth. A message inside a node has the figures of the node, and all messages inside it together the
// bandwidth of the node times its ranks: every rank copies on its own core. Messages of different ranks are
// not distinguished, so that a single active rank may use the bandwidth of all.
//
// Where the description has costs of messages, their senders and receivers also use processors (overheads.hpp).
#include <simgrid/kernel/routing/NetPoint.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>

#include "cores.hpp"
#include "description.hpp"
#include "overheads.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sg4 = simgrid::s4u;
namespace routing = simgrid::kernel::routing;

namespace {

// A route is computed from the numbers of its two nodes; nothing is stored per pair.
class Machine : public routing::NetZoneImpl {
  struct Wire {
    simgrid::kernel::resource::StandardLinkImpl *link;
    double latency;
  };
  std::map<unsigned long, unsigned long> node_of_point_;
  std::vector<Wire> up_, down_;
  // The bound of a message inside each node, and what the node has for all of them.
  std::vector<Wire> inside_, cores_;
  bool grid_;
  // What routes compete for: links between nodes and ports, ports only, or only the ports of senders. The less, the
  // fewer rates change when a message comes or goes, and the faster the simulation.
  bool links_shared_, receivers_shared_;
  std::vector<long> lengths_;
  std::vector<bool> wrapped_;
  // Links by dimension or level, then by number; of a grid those to the next node, then those back.
  std::vector<std::vector<Wire>> forth_, back_;

  Wire link(const std::string &name, double bandwidth, double latency, bool shared) {
    auto *made = get_iface()->create_link(name, bandwidth)->set_latency(latency);
    if (!shared) made->set_sharing_policy(sg4::Link::SharingPolicy::FATPIPE);
    made->seal();
    return {made->get_impl(), latency};
  }

  static void take(routing::Route *route, double *latency, const Wire &wire) {
    route->link_list_.push_back(wire.link);
    if (latency) *latency += wire.latency;
  }

  void cross(routing::Route *route, double *latency, const Wire &wire) const {
    if (links_shared_) take(route, latency, wire);
    else if (latency) *latency += wire.latency;
  }

  // Dimension by dimension, each along the shorter path if its ends are joined.
  void grid_route(long from, long to, routing::Route *route, double *latency) const {
    long stride = 1;
    for (size_t dimension = 0; dimension < lengths_.size(); dimension++) {
      const long length = lengths_[dimension];
      const long target = to / stride % length;
      for (long here = from / stride % length; here != target; here = from / stride % length) {
        const long ahead = (target - here + length) % length;
        const bool forth = wrapped_[dimension] ? 2 * ahead <= length : target > here;
        cross(route, latency, (forth ? forth_ : back_)[dimension][from]);
        from += ((here + (forth ? 1 : length - 1)) % length - here) * stride;
      }
      stride *= length;
    }
  }

  // Up to the first switch above both, and down; the number of the receiver chooses among the links
  // of a switch, as destination-based routing does.
  void tree_route(long from, long to, routing::Route *route, double *latency) const {
    std::vector<Wire> descent;
    long below = 1;
    for (size_t level = 0; level < lengths_.size() && from / below != to / below; level++) {
      const long choice = to % below;
      cross(route, latency, forth_[level][from / below * below + choice]);
      descent.push_back(back_[level][to / below * below + choice]);
      below *= lengths_[level];
    }
    for (auto wire = descent.rbegin(); wire != descent.rend(); ++wire) cross(route, latency, *wire);
  }

 public:
  explicit Machine(const Description &what)
      : NetZoneImpl("machine"),
        grid_(what.one("grid") != 0),
        links_shared_(what.one("links_shared") != 0),
        receivers_shared_(what.one("receivers_shared") != 0) {
    const auto &lengths = what.list("lengths");
    lengths_.assign(lengths.begin(), lengths.end());
    if (grid_)
      for (double wrapped : what.list("wrapped")) wrapped_.push_back(wrapped != 0);
    const auto nodes = static_cast<long>(what.one("nodes"));
    long places = 1;
    for (long length : lengths_) places *= length;
    const double bandwidth = what.one("bandwidth"), latency = what.one("latency");
    const double between = what.one("link_bandwidth"), hop = what.one("link_latency");
    const double copying = what.one("node_bandwidth"), ranks = what.one("ranks"), cores = what.one("cores");
    for (long node = 0; node < nodes; node++) {
      const std::string name = std::to_string(node);
      auto *host = get_iface()->create_host("node-" + name, 1e9);
      host->set_core_count(static_cast<int>(cores))->seal();
      node_of_point_[host->get_netpoint()->id()] = node;
      inside_.push_back(link("inside-" + name, copying, what.one("node_latency"), false));
      // The last node may have fewer ranks.
      cores_.push_back(link("cores-" + name, copying * std::min(cores, ranks - cores * node), 0, true));
      up_.push_back(link("up-" + name, bandwidth, latency / 2, true));
      down_.push_back(link("down-" + name, bandwidth, latency / 2, true));
    }
    for (size_t dimension = 0; dimension < lengths_.size(); dimension++) {
      forth_.emplace_back();
      back_.emplace_back();
      for (long number = 0; number < places; number++) {
        const std::string name = std::to_string(dimension) + "-" + std::to_string(number);
        forth_.back().push_back(link("forth-" + name, between, hop, true));
        back_.back().push_back(link("back-" + name, between, hop, true));
      }
    }
  }

  // A host without ranks.
  sg4::Host *host_of_cores() {
    auto *host = get_iface()->create_host("shared-cores", 1e9);
    host->seal();
    return host;
  }

  void get_local_route(const routing::NetPoint *from, const routing::NetPoint *to, routing::Route *route,
                       double *latency) override {
    const auto sender = node_of_point_.at(from->id()), receiver = node_of_point_.at(to->id());
    if (sender == receiver) {
      take(route, latency, inside_[sender]);
      return take(route, latency, cores_[sender]);
    }
    take(route, latency, up_[sender]);
    if (grid_) grid_route(sender, receiver, route, latency);
    else tree_route(sender, receiver, route, latency);
    if (receivers_shared_) take(route, latency, down_[receiver]);
    else if (latency) *latency += down_[receiver].latency;
  }
};

}  // namespace

extern "C" void load_platform(const sg4::Engine &);
void load_platform(const sg4::Engine &) {
  // SimGrid owns zones, and deletes them at the end.
  const Description what(std::getenv("HCUBE_PLATFORM"));
  auto *machine = new Machine(what);
  if (what.has("shared_cores")) {
    std::unique_ptr<Cores> cores;
    if (what.one("shared_cores") > 0) {
      const Turns turns = {what.one("poll"), what.one("missed")};
      cores = std::make_unique<Cores>(machine->host_of_cores(), static_cast<size_t>(what.one("shared_cores")),
                                      static_cast<size_t>(what.one("ranks")), static_cast<size_t>(what.one("cores")),
                                      turns);
    }
    Overheads::install(std::make_unique<Overheads>(what, std::move(cores)));
  }
  machine->get_iface()->seal();
}
