// What a message costs its sender and its receiver: time of a processor, their own one, or one of few that all ranks of
// all nodes share (cores.hpp).
//
// An eager message that arrives before its receive is posted costs its receiver a copy as well, when it is received.
//
// SMPI calls functions for the costs of sends and receives, but not for blocking sends of long messages, not for
// receives of messages whose senders wait, and it does not tell which messages were early. So this file takes the place
// of five of SMPI's functions, which call each other through the dynamic linker: the platform is loaded before SMPI
// (LD_PRELOAD, smpirun.rs). The names are those of SimGrid 3.32; with another version the platform cannot be loaded.
#ifndef OVERHEADS_HPP
#define OVERHEADS_HPP

#include <simgrid/forward.h>
#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>

#include <dlfcn.h>

#include <cstring>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cores.hpp"
#include "description.hpp"

// Seconds over bytes, linear between points.
class Curve {
  std::vector<double> bytes_, seconds_;

 public:
  Curve() = default;
  explicit Curve(const std::vector<double> &pairs) {
    for (size_t at = 0; at + 1 < pairs.size(); at += 2) {
      bytes_.push_back(pairs[at]);
      seconds_.push_back(pairs[at + 1]);
    }
  }

  double at(double bytes) const {
    if (bytes <= bytes_.front()) return seconds_.front();
    if (bytes_.size() == 1) return seconds_.front();
    // Beyond the last point, the line through the last two.
    size_t next = 1;
    while (next + 1 < bytes_.size() && bytes_[next] < bytes) next++;
    const double slope = (seconds_[next] - seconds_[next - 1]) / (bytes_[next] - bytes_[next - 1]);
    return seconds_[next] + slope * (bytes - bytes_[next]);
  }
};

// The request of a receive, and what is known of its message.
struct Receive {
  MPI_Request sender = nullptr;
  // The message had arrived when the receive was posted.
  bool is_late = false;
};

class Overheads {
  Curve send_[2], receive_[2];
  // Seconds of a copied byte.
  double copy_;
  // The processors that all ranks share; without them each rank has its own.
  std::unique_ptr<Cores> cores_;
  std::unordered_map<MPI_Request, simgrid::s4u::Host *> hosts_;
  std::unordered_map<MPI_Request, Receive> receives_;
  // Of the match that is being made.
  MPI_Request matched_ = nullptr;

  void use(double seconds, bool from_network) const {
    if (cores_) cores_->use(seconds, from_network);
    else if (seconds > 0) simgrid::s4u::this_actor::sleep_for(seconds);
  }

 public:
  Overheads(const Description &what, std::unique_ptr<Cores> cores) : copy_(what.one("copy")), cores_(std::move(cores)) {
    const char *places[] = {"network", "node"};
    for (int place = 0; place < 2; place++) {
      const std::string name = places[place];
      send_[place] = Curve(what.list(name + "_send"));
      receive_[place] = Curve(what.list(name + "_receive"));
    }
  }

  // Of this process; nothing on machines without costs.
  static std::unique_ptr<Overheads> &installed() {
    static std::unique_ptr<Overheads> costs;
    return costs;
  }

  // Fails where SMPI does not call the functions of this file.
  static void install(std::unique_ptr<Overheads> costs);

  // A request starts. Addresses of requests that have ended are used again.
  void start(MPI_Request request) {
    receives_.erase(request);
    hosts_[request] = simgrid::s4u::this_actor::get_host();
  }

  void match(MPI_Request receiver, MPI_Request sender) {
    receives_[receiver].sender = sender;
    matched_ = receiver;
  }

  // A receive is posted: first, and then whether its message has already arrived.
  void begin_to_post() {
    matched_ = nullptr;
  }

  void posted(bool has_arrived) {
    if (matched_) receives_[matched_].is_late = has_arrived;
  }

  // Work of the calling rank.
  void work(double seconds) const {
    use(seconds, false);
  }

  // What is known of a request that ends; nothing of the request of a send.
  Receive end(MPI_Request request) {
    const auto found = receives_.find(request);
    if (found == receives_.end()) return {};
    const Receive receive = found->second;
    receives_.erase(found);
    return receive;
  }

  void receive(const Receive &receive, int bytes) const {
    const auto found = hosts_.find(receive.sender);
    if (found == hosts_.end()) throw std::runtime_error("a message without a sender");
    const bool is_inside = found->second == simgrid::s4u::this_actor::get_host();
    double seconds = receive_[is_inside].at(bytes);
    if (receive.is_late) seconds += copy_ * bytes;
    use(seconds, !is_inside);
  }
};

// The function of SMPI by this name that comes after the platform's.
template <typename Function>
Function *next_function(const char *name) {
  auto *found = dlsym(RTLD_NEXT, name);
  if (!found) throw std::runtime_error(std::string("SimGrid 3.32 expected: it has no ") + name);
  return reinterpret_cast<Function *>(found);
}

using CommPtr = boost::intrusive_ptr<simgrid::kernel::activity::ActivityImpl>;
#define SMPI_START "_ZN7simgrid4smpi7Request5startEv"
#define SMPI_SEND "_ZN7simgrid4smpi7Request4sendEPKviPNS0_8DatatypeEiiPNS0_4CommE"
#define SMPI_ISEND "_ZN7simgrid4smpi7Request5isendEPKviPNS0_8DatatypeEiiPNS0_4CommE"
#define SMPI_WAIT "_ZN7simgrid4smpi7Request4waitEPPS1_P10MPI_Status"
#define SMPI_MATCH_RECV "_ZN7simgrid4smpi7Request10match_recvEPvS2_PNS_6kernel8activity8CommImplE"
#define SMPI_MATCH_SEND "_ZN7simgrid4smpi7Request10match_sendEPvS2_PNS_6kernel8activity8CommImplE"
#define SMPI_POST "_ZN7simgrid6kernel8activity8CommImpl5irecvEPNS0_5actor16CommIrecvSimcallE"
#define SMPI_END "_ZN7simgrid4smpi7Request11finish_waitEPPS1_P10MPI_Status"
#define SMPI_STATE "_ZNK7simgrid6kernel8activity12ActivityImpl13get_state_strEv"

extern "C" {
// Drivers find it by its name.
void hcube_use_processor(double seconds);
MPI_Request isend_of_smpi(const void *, int, MPI_Datatype, int, int, MPI_Comm) asm(SMPI_ISEND);
int wait_of_smpi(MPI_Request *, MPI_Status *) asm(SMPI_WAIT);
const char *state_of_smpi(const simgrid::kernel::activity::ActivityImpl *) asm(SMPI_STATE);
void start_request(MPI_Request) asm(SMPI_START);
void send_message(const void *, int, MPI_Datatype, int, int, MPI_Comm) asm(SMPI_SEND);
bool match_receive(void *, void *, void *) asm(SMPI_MATCH_RECV);
bool match_send(void *, void *, void *) asm(SMPI_MATCH_SEND);
void end_request(MPI_Request *, MPI_Status *) asm(SMPI_END);
}
CommPtr post_receive(void *) asm(SMPI_POST);

void hcube_use_processor(double seconds) {
  if (Overheads::installed()) Overheads::installed()->work(seconds);
  else if (seconds > 0) simgrid::s4u::this_actor::sleep_for(seconds);
}

void start_request(MPI_Request request) {
  static auto *next = next_function<void(MPI_Request)>(SMPI_START);
  if (Overheads::installed()) Overheads::installed()->start(request);
  next(request);
}

// A blocking send costs as much as any other, also where it waits.
void send_message(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  static auto *next = next_function<void(const void *, int, MPI_Datatype, int, int, MPI_Comm)>(SMPI_SEND);
  if (!Overheads::installed()) return next(data, count, type, to, tag, comm);
  MPI_Request request = isend_of_smpi(data, count, type, to, tag, comm);
  wait_of_smpi(&request, MPI_STATUS_IGNORE);
}

bool match_receive(void *receiver, void *sender, void *comm) {
  static auto *next = next_function<bool(void *, void *, void *)>(SMPI_MATCH_RECV);
  const bool matches = next(receiver, sender, comm);
  if (matches && Overheads::installed())
    Overheads::installed()->match(static_cast<MPI_Request>(receiver), static_cast<MPI_Request>(sender));
  return matches;
}

bool match_send(void *sender, void *receiver, void *comm) {
  static auto *next = next_function<bool(void *, void *, void *)>(SMPI_MATCH_SEND);
  const bool matches = next(sender, receiver, comm);
  if (matches && Overheads::installed())
    Overheads::installed()->match(static_cast<MPI_Request>(receiver), static_cast<MPI_Request>(sender));
  return matches;
}

CommPtr post_receive(void *call) {
  static auto *next = next_function<CommPtr(void *)>(SMPI_POST);
  if (!Overheads::installed()) return next(call);
  Overheads::installed()->begin_to_post();
  CommPtr comm = next(call);
  Overheads::installed()->posted(std::strcmp(state_of_smpi(comm.get()), "DONE") == 0);
  return comm;
}

void end_request(MPI_Request *request, MPI_Status *status) {
  static auto *next = next_function<void(MPI_Request *, MPI_Status *)>(SMPI_END);
  if (!Overheads::installed()) return next(request, status);
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const Receive receive = Overheads::installed()->end(*request);
  next(request, status);
  if (receive.sender) Overheads::installed()->receive(receive, status->count);
}

inline void Overheads::install(std::unique_ptr<Overheads> costs) {
  const std::pair<const char *, void *> replaced[] = {{SMPI_START, reinterpret_cast<void *>(start_request)},
                                                      {SMPI_SEND, reinterpret_cast<void *>(send_message)},
                                                      {SMPI_MATCH_RECV, reinterpret_cast<void *>(match_receive)},
                                                      {SMPI_MATCH_SEND, reinterpret_cast<void *>(match_send)},
                                                      {SMPI_POST, reinterpret_cast<void *>(post_receive)},
                                                      {SMPI_END, reinterpret_cast<void *>(end_request)}};
  for (const auto &[name, function] : replaced)
    if (dlsym(RTLD_DEFAULT, name) != function)
      throw std::runtime_error(std::string("costs of messages: the platform is not loaded before SimGrid: ") + name);
  const auto *own = costs.get();
  const auto sends = [own](size_t bytes, simgrid::s4u::Host *from, simgrid::s4u::Host *to) {
    own->use(own->send_[from == to].at(static_cast<double>(bytes)), false);
    return 0;
  };
  smpi_register_op_cost_callback(SmpiOperation::SEND, sends);
  smpi_register_op_cost_callback(SmpiOperation::ISEND, sends);
  installed() = std::move(costs);
}

#endif
