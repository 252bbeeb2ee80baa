/* What both ways of using Beast share: a request, and a connection in the clear or over TLS. */
#pragma once

#include "fetchoff.hpp"

#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast.hpp>
#include <boost/beast/ssl.hpp>
#include <cstdlib>
#include <limits>
#include <optional>

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
namespace ssl = net::ssl;
using tcp = net::ip::tcp;

using Request = http::request<http::span_body<char const>>;
using WholeParser = http::response_parser<http::string_body>;
using StreamParser = http::response_parser<http::buffer_body>;

/* boost::none stands for no limit as well, but in Boost 1.74 every length exceeds it. */
inline constexpr auto any_length = std::numeric_limits<std::uint64_t>::max();

/* The content, which the request only refers to, may be put into the room. */
inline Request request_of(const fetchoff::Exchange &exchange, bool fresh, std::string &room)
{
    Request request(http::string_to_verb(exchange.method), exchange.url.target, 11);
    request.set(http::field::host, exchange.url.authority());
    request.set(http::field::user_agent, BOOST_BEAST_VERSION_STRING);
    for (const auto &[name, value] : exchange.fields)
        request.insert(name, value);
    if (!exchange.content_type.empty()) {
        request.set(http::field::content_type, exchange.content_type);
        const auto content = exchange.content(room);
        request.body() = {content.data(), content.size()};
    }
    request.keep_alive(!fresh);
    request.prepare_payload();
    return request;
}

inline void trust(ssl::context &context, const fetchoff::Settings &settings)
{
    context.set_verify_mode(ssl::verify_peer);
    if (settings.tls_ca)
        context.load_verify_file(*settings.tls_ca);
    else
        context.set_default_verify_paths();
}

class Connection
{
  public:
    Connection(net::io_context &loop, ssl::context &context) : loop_(loop), context_(context)
    {
        if (const char *bytes = std::getenv("BUFFER_BYTES"))
            buffer.reserve(std::stoul(bytes));
    }

    beast::flat_buffer buffer;

    bool is_to(const fetchoff::Url &url) const
    {
        return (plain_ || secure_) && origin_ == url.origin();
    }

    void open(const fetchoff::Url &url)
    {
        close();
        origin_ = url.origin();
        if (url.is_secure()) {
            secure_.emplace(loop_, context_);
            SSL_set_tlsext_host_name(secure_->native_handle(), url.host.c_str());
            secure_->set_verify_callback(ssl::host_name_verification(url.host));
        } else {
            plain_.emplace(loop_);
        }
    }

    void close()
    {
        plain_.reset();
        secure_.reset();
        buffer.clear();
    }

    beast::ssl_stream<beast::tcp_stream> *secure()
    {
        return secure_ ? &*secure_ : nullptr;
    }

    beast::tcp_stream &tcp_layer()
    {
        return secure_ ? secure_->next_layer() : *plain_;
    }

    template <class Do> auto with_stream(Do &&act)
    {
        return secure_ ? act(*secure_) : act(*plain_);
    }

  private:
    net::io_context &loop_;
    ssl::context &context_;
    std::string origin_;
    std::optional<beast::tcp_stream> plain_;
    std::optional<beast::ssl_stream<beast::tcp_stream>> secure_;
};

inline std::string boost_version()
{
    return std::to_string(BOOST_VERSION / 100000) + "." +
           std::to_string(BOOST_VERSION / 100 % 1000) + "." + std::to_string(BOOST_VERSION % 100);
}

#define BEAST_FEATURES                                                                             \
    "http/1.1 tls method.get method.head method.post method.put body.form body.json body.raw "     \
    "headers connection.reuse connection.fresh concurrency "                                       \
    "sink.buffer sink.json sink.discard sink.file option.tcp_nodelay inject.busy"
