#include "connection.hpp"

using namespace fetchoff;

class Beast : public Client
{
  public:
    explicit Beast(const Settings &settings) : settings_(settings)
    {
        trust(context_, settings);
    }

    void exchange(const Exchange &exchange, Answer answer) override
    {
        std::string room;
        const auto request = request_of(exchange, settings_.fresh, room);
        try {
            if (!connection_.is_to(exchange.url))
                connect(exchange.url);
            const bool keep = connection_.with_stream([&](auto &stream) {
                http::write(stream, request);
                return settings_.whole ? read_whole(stream, exchange, answer)
                                       : read_stream(stream, exchange, answer);
            });
            if (!keep || settings_.fresh)
                connection_.close();
        } catch (...) {
            connection_.close();
            throw;
        }
    }

  private:
    Settings settings_;
    net::io_context loop_;
    ssl::context context_{ssl::context::tls_client};
    tcp::resolver resolver_{loop_};
    Connection connection_{loop_, context_};

    void connect(const Url &url)
    {
        connection_.open(url);
        auto &tcp_layer = connection_.tcp_layer();
        tcp_layer.connect(resolver_.resolve(url.host, url.port));
        const bool nodelay = settings_.option("tcp_nodelay", std::getenv("TCP_NODELAY") != nullptr);
        tcp_layer.socket().set_option(tcp::no_delay(nodelay));
        if (auto *secure = connection_.secure())
            secure->handshake(ssl::stream_base::client);
    }

    template <class Stream> bool read_whole(Stream &stream, const Exchange &exchange, Answer answer)
    {
        WholeParser parser;
        parser.body_limit(any_length);
        parser.skip(exchange.method == "HEAD");
        http::read(stream, connection_.buffer, parser);
        answer.status(parser.get().result_int());
        answer.whole(parser.get().body());
        return parser.get().keep_alive();
    }

    template <class Stream>
    bool read_stream(Stream &stream, const Exchange &exchange, Answer answer)
    {
        constexpr std::size_t size = 64 * 1024;
        StreamParser parser;
        parser.body_limit(any_length);
        parser.skip(exchange.method == "HEAD");
        http::read_header(stream, connection_.buffer, parser);
        answer.status(parser.get().result_int());
        while (!parser.is_done()) {
            beast::error_code error;
            auto &body = parser.get().body();
            body.data = answer.room(size);
            body.size = size;
            http::read(stream, connection_.buffer, parser, error);
            answer.read(size - body.size);
            if (error && error != http::error::need_buffer)
                throw beast::system_error(error);
        }
        return parser.get().keep_alive();
    }
};

int main()
{
    return serve<Beast>({"beast", boost_version(), "", BEAST_FEATURES});
}
