#pragma once
// What an operator throws becomes a status and a sentence.
#include <mno/io/safe_file.hpp>
#include <new>

#include "exchange.hpp"

namespace demand {

template <class Call> boundary::Status guarded(boundary::Message error, Call&& call) noexcept {
  using boundary::Status;
  try {
    call();
    return Status::done;
  } catch (const mno::io::CannotWrite& e) {
    put(error, e.what());
    return Status::cannot_write;
  } catch (const mno::Error& e) {
    put(error, e.what());
    return Status::refused;
  } catch (const std::bad_alloc&) {
    put(error, "there is not enough memory");
    return Status::no_memory;
  } catch (const std::exception& e) {
    put(error, e.what());
    return Status::failed;
  } catch (...) {
    put(error, "an error without a sentence");
    return Status::failed;
  }
}

}  // namespace demand
