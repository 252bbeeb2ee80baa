/* The C++ kit, over the C kit: exchanges and settings as C++ has them, and exceptions as errors. */
#pragma once

#include "fetchoff.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fetchoff
{

struct Url {
    std::string text, scheme, host, port, target;

    explicit Url(std::string text);
    std::string authority() const;
    std::string origin() const;
    bool is_secure() const;
};

using Field = std::pair<std::string, std::string>;

struct File {
    std::string name, filename, content_type, path;
};

struct Form {
    std::vector<Field> fields;
};
struct Json {
    const fo_body *body;
};
struct Multipart {
    std::vector<Field> fields;
    std::vector<File> files;
};
struct Raw {
    std::string content;
};

struct Exchange {
    std::string method;
    Url url;
    std::vector<Field> fields;
    std::variant<std::monostate, Form, Json, Multipart, Raw> body;
    std::string content_type; /* empty for multipart and for no body */

    /* A form, a document or a raw body as it goes over the wire; only a raw one is not a new text.
     */
    std::string_view content(std::string &room) const;

    const fo_exchange *c;
};

using Milliseconds = std::optional<std::chrono::milliseconds>;

struct Settings {
    fo_protocol protocol;
    bool reuse, fresh; /* neither: as the library likes it */
    bool whole;        /* the content is wanted in memory, not as a stream */
    std::optional<std::size_t> read_size;
    bool cookies, decompress;
    int redirects;
    std::size_t concurrency;
    Milliseconds connect, read, total;
    std::optional<std::string> tls_ca;
    std::optional<Url> proxy;

    bool option(const char *name, bool unless_given) const;

    const fo_settings *c;
};

/* Where an answer goes: a handle, to be copied. */
class Answer
{
  public:
    explicit Answer(fo_answer *answer) : answer_(answer)
    {
    }

    /* Which of those in flight it is: 0 to concurrency - 1. */
    std::size_t lane() const
    {
        return answer_->lane;
    }
    void status(int status)
    {
        answer_->status = status;
    }
    /* Hands over content. False if it cannot be taken. */
    bool content(std::string_view data)
    {
        return fo_content(answer_, data.data(), data.size());
    }
    /* All of the content at once, which the library has in memory and which need not be kept. */
    bool whole(std::string_view data)
    {
        return fo_content_whole(answer_, data.data(), data.size());
    }
    /* The same without a copy: room to read into, then how much was read. */
    char *room(std::size_t size)
    {
        return fo_content_room(answer_, size);
    }
    bool read(std::size_t size)
    {
        return fo_content_read(answer_, size);
    }
    void fail(const char *why)
    {
        fo_fail(&answer_->error, "%s", why);
    }
    /* Of what an event loop has begun. */
    void finish()
    {
        fo_finish(answer_);
    }

  private:
    fo_answer *answer_;
};

/* A client that does one exchange after the other. Several of them, each in a thread of its own,
   make the concurrency of the kit. */
class Client
{
  public:
    virtual ~Client() = default;
    virtual void exchange(const Exchange &exchange, Answer answer) = 0;
};

/* A client with an event loop. */
class Loop
{
  public:
    virtual ~Loop() = default;
    virtual void begin(const Exchange &exchange, Answer answer) = 0;
    /* Until something has happened; called again while any exchange is in flight. */
    virtual void wait() = 0;
};

/* Thrown by a constructor: a feature that cannot be had together with the others. */
struct Unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

struct Description {
    std::string client, version, engine, features;
};

using MakeClient = std::function<std::unique_ptr<Client>(const Settings &)>;
using MakeLoop = std::function<std::unique_ptr<Loop>(const Settings &)>;

/* Serves the protocol until it ends; returns the exit status for main. */
int serve(const Description &description, MakeClient make);
int serve(const Description &description, MakeLoop make);

template <class Library> int serve(const Description &description)
{
    if constexpr (std::is_base_of_v<Loop, Library>)
        return serve(description, MakeLoop([](const Settings &settings) {
                         return std::make_unique<Library>(settings);
                     }));
    else
        return serve(description, MakeClient([](const Settings &settings) {
                         return std::make_unique<Library>(settings);
                     }));
}

} // namespace fetchoff
