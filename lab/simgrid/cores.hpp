// Processors that all ranks of all nodes share, as hosts of one machine do: each rank is bound to one of them, and
// ranks that wait poll and yield.
//
// The ranks of a processor have their turns in a fixed order. A rank that waits polls once in its turn, and yields. A
// rank that has work does all of it in its turn, and ends the turn with a poll in which it finds nothing; what it finds
// in this poll it does in the same turn. A rank that only polls finds what had arrived when its turn began. A message
// of the network is noticed some turns later than a message inside a node: MPI libraries do not check sockets in every
// poll. Where all ranks wait, the polls that would have been made are counted when the first of them has work again.
//
// Local work of a rank, which is a sleep, takes no turn: a rank keeps its processor for at most the time of a poll
// meanwhile.
#ifndef CORES_HPP
#define CORES_HPP

#include <simgrid/s4u.hpp>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// What a turn of a rank that waits takes, in seconds, and how many turns it misses before it notices a message of the
// network; where this is a fraction, now and then one more.
struct Turns {
  double poll, missed;
};

class Core {
  struct Seat {
    bool wants = false;
    double misses = 0;
    simgrid::s4u::SemaphorePtr granted = simgrid::s4u::Semaphore::create(0);
  };

  Turns turns_;
  std::vector<Seat> seats_;
  size_t at_ = 0, wanting_ = 0;
  simgrid::s4u::SemaphorePtr asked_ = simgrid::s4u::Semaphore::create(0);
  simgrid::s4u::SemaphorePtr done_ = simgrid::s4u::Semaphore::create(0);

  void next(size_t turns) {
    at_ = (at_ + turns) % seats_.size();
  }

  // All ranks wait: polls until one of them has work.
  void idle() {
    const double begin = simgrid::s4u::Engine::get_clock();
    asked_->acquire();
    const double polls = (simgrid::s4u::Engine::get_clock() - begin) / turns_.poll;
    next(static_cast<size_t>(std::fmod(polls, static_cast<double>(seats_.size()))));
    // The poll under way.
    simgrid::s4u::this_actor::sleep_for((1 - (polls - std::floor(polls))) * turns_.poll);
    next(1);
  }

  // The rank whose turn it is does its work, and what it finds in the poll after it.
  void serve() {
    Seat &seat = seats_[at_];
    double left = turns_.poll;
    while (seat.wants || left > 1e-12) {
      const double begin = simgrid::s4u::Engine::get_clock();
      if (seat.wants) {
        seat.wants = false;
        seat.misses = 0;
        wanting_--;
        seat.granted->release();
        done_->acquire();
        left = turns_.poll;
      } else if (!asked_->acquire_timeout(left)) {
        left -= simgrid::s4u::Engine::get_clock() - begin;
      } else {
        left = 0;
      }
    }
    next(1);
  }

 public:
  Core(const Turns &turns, size_t ranks) : turns_(turns), seats_(ranks) {
  }

  [[noreturn]] void run() {
    while (true) {
      Seat &seat = seats_[at_];
      if (wanting_ == 0) {
        idle();
      } else if (seat.wants && seat.misses < 1) {
        serve();
      } else {
        if (seat.wants) seat.misses -= 1;
        simgrid::s4u::this_actor::sleep_for(turns_.poll);
        next(1);
      }
    }
  }

  // This rank uses the processor. `missed`: turns that pass before it notices what it waits for; none in the poll that
  // ends a turn of its own.
  void use(size_t number, double seconds, double missed) {
    Seat &seat = seats_[number];
    seat.wants = true;
    seat.misses = missed;
    wanting_++;
    asked_->release();
    seat.granted->acquire();
    if (seconds > 0) simgrid::s4u::this_actor::sleep_for(seconds);
    done_->release();
  }
};

class Cores {
  simgrid::s4u::Host *host_;
  Turns turns_;
  size_t ranks_per_node_;
  std::vector<std::unique_ptr<Core>> cores_;
  bool are_running_ = false;
  // Of each rank: its processor, its number there, when it was last at work, and the fraction of a missed turn that is
  // still to come.
  struct Place {
    size_t core, seat;
    double seen, missed;
  };
  std::vector<Place> places_;

  // Actors cannot begin before the platform is complete.
  void start() {
    // Other ranks run while an actor is made.
    are_running_ = true;
    for (size_t number = 0; number < cores_.size(); number++) {
      Core *core = cores_[number].get();
      const std::string name = "core-" + std::to_string(number);
      simgrid::s4u::Actor::create(name, host_, [core]() { core->run(); })->daemonize();
    }
  }

 public:
  // Ranks fill one node after the other, and the ranks of a node are bound to the processors in turn.
  Cores(simgrid::s4u::Host *host, size_t cores, size_t ranks, size_t ranks_per_node, const Turns &turns)
      : host_(host), turns_(turns), ranks_per_node_(ranks_per_node) {
    std::vector<size_t> seats(cores);
    for (size_t rank = 0; rank < ranks; rank++) {
      const size_t core = rank % ranks_per_node_ % cores;
      places_.push_back({core, seats[core]++, 0, 0});
    }
    for (size_t number = 0; number < cores; number++)
      cores_.push_back(std::make_unique<Core>(turns, seats[number] > 0 ? seats[number] : 1));
  }

  // The calling rank uses its processor; `from_network`: for a message that it receives from another node.
  void use(double seconds, bool from_network) {
    if (!are_running_) start();
    const char *rank = simgrid::s4u::Actor::self()->get_property("rank");
    if (!rank) throw std::runtime_error("an actor without a rank uses a processor");
    Place &place = places_.at(std::strtoul(rank, nullptr, 10));
    double missed = 0;
    if (from_network && simgrid::s4u::Engine::get_clock() > place.seen + 1e-9) {
      place.missed += turns_.missed;
      missed = std::floor(place.missed);
      place.missed -= missed;
    }
    cores_[place.core]->use(place.seat, seconds, missed);
    place.seen = simgrid::s4u::Engine::get_clock();
  }
};

#endif
