#include "connection.hpp"

#include <deque>

using namespace fetchoff;
using net::use_awaitable;

class AsyncBeast : public Loop
{
  public:
    explicit AsyncBeast(const Settings &settings) : settings_(settings)
    {
        trust(context_, settings);
        for (std::size_t i = 0; i < settings.concurrency; i++)
            connections_.emplace_back(loop_, context_);
    }

    void begin(const Exchange &exchange, Answer answer) override
    {
        Connection &connection = connections_[answer.lane()];
        net::co_spawn(loop_, run(connection, exchange, answer),
                      [&connection, answer](std::exception_ptr problem) mutable {
                          if (problem)
                              fail(connection, problem, answer);
                          answer.finish();
                      });
    }

    void wait() override
    {
        if (loop_.stopped())
            loop_.restart();
        loop_.run_one();
    }

  private:
    Settings settings_;
    net::io_context loop_{1};
    ssl::context context_{ssl::context::tls_client};
    tcp::resolver resolver_{loop_};
    std::deque<Connection> connections_; /* one for each exchange in flight */

    static void fail(Connection &connection, const std::exception_ptr &problem, Answer answer)
    {
        connection.close();
        try {
            std::rethrow_exception(problem);
        } catch (const std::exception &what) {
            answer.fail(what.what());
        }
    }

    net::awaitable<void> run(Connection &connection, const Exchange &exchange, Answer answer)
    {
        std::string room;
        const auto request = request_of(exchange, settings_.fresh, room);
        if (!connection.is_to(exchange.url))
            co_await connect(connection, exchange.url);
        if (settings_.total)
            connection.tcp_layer().expires_after(*settings_.total);
        const bool keep = co_await connection.with_stream(
            [&](auto &stream) { return talk(stream, connection, request, exchange, answer); });
        if (!keep || settings_.fresh)
            connection.close();
    }

    net::awaitable<void> connect(Connection &connection, const Url &url)
    {
        connection.open(url);
        auto &tcp_layer = connection.tcp_layer();
        if (const auto limit = settings_.connect ? settings_.connect : settings_.total)
            tcp_layer.expires_after(*limit);
        const auto addresses = co_await resolver_.async_resolve(url.host, url.port, use_awaitable);
        co_await tcp_layer.async_connect(addresses, use_awaitable);
        tcp_layer.socket().set_option(tcp::no_delay(settings_.option("tcp_nodelay", false)));
        if (auto *secure = connection.secure())
            co_await secure->async_handshake(ssl::stream_base::client, use_awaitable);
        tcp_layer.expires_never();
    }

    template <class Stream>
    net::awaitable<bool> talk(Stream &stream, Connection &connection, const Request &request,
                              const Exchange &exchange, Answer answer)
    {
        co_await http::async_write(stream, request, use_awaitable);
        /* Two statements: GCC 12 destroys the operands of a conditional one too early. */
        if (settings_.whole)
            co_return co_await read_whole(stream, connection, exchange, answer);
        co_return co_await read_stream(stream, connection, exchange, answer);
    }

    template <class Stream>
    net::awaitable<bool> read_whole(Stream &stream, Connection &connection,
                                    const Exchange &exchange, Answer answer)
    {
        WholeParser parser;
        parser.body_limit(any_length);
        parser.skip(exchange.method == "HEAD");
        co_await http::async_read(stream, connection.buffer, parser, use_awaitable);
        answer.status(parser.get().result_int());
        answer.whole(parser.get().body());
        co_return parser.get().keep_alive();
    }

    template <class Stream>
    net::awaitable<bool> read_stream(Stream &stream, Connection &connection,
                                     const Exchange &exchange, Answer answer)
    {
        std::vector<char> room(64 * 1024); /* the kit's is shared by all that is in flight */
        StreamParser parser;
        parser.body_limit(any_length);
        parser.skip(exchange.method == "HEAD");
        co_await http::async_read_header(stream, connection.buffer, parser, use_awaitable);
        answer.status(parser.get().result_int());
        while (!parser.is_done()) {
            beast::error_code error;
            auto &body = parser.get().body();
            body.data = room.data();
            body.size = room.size();
            co_await http::async_read(stream, connection.buffer, parser,
                                      net::redirect_error(use_awaitable, error));
            answer.content({room.data(), room.size() - body.size});
            if (error && error != http::error::need_buffer)
                throw beast::system_error(error);
        }
        co_return parser.get().keep_alive();
    }
};

int main()
{
    return serve<AsyncBeast>(
        {"beast", boost_version(), "", BEAST_FEATURES " timeout.connect timeout.total"});
}
