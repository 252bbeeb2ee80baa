#include "fetchoff.hpp"

#include <httplib.h>
#include <map>

using namespace fetchoff;

class Httplib : public Client
{
  public:
    explicit Httplib(const Settings &settings) : settings_(settings)
    {
    }

    void exchange(const Exchange &exchange, Answer answer) override
    {
        const auto result = send(client(exchange.url.origin()), exchange, answer);
        if (!result)
            throw std::runtime_error(to_string(result.error()));
        answer.status(result->status);
        answer.whole(result->body); /* empty if it went to the receiver */
    }

  private:
    Settings settings_;
    std::map<std::string, std::unique_ptr<httplib::Client>> clients_;

    httplib::Client &client(const std::string &origin)
    {
        auto &client = clients_[origin];
        if (!client) {
            client = std::make_unique<httplib::Client>(origin);
            configure(*client);
        }
        return *client;
    }

    void configure(httplib::Client &client) const
    {
        client.set_keep_alive(!settings_.fresh);
        client.set_follow_location(settings_.redirects > 0);
        client.set_decompress(settings_.decompress);
        client.set_tcp_nodelay(settings_.option("tcp_nodelay", true));
        if (settings_.connect)
            client.set_connection_timeout(*settings_.connect);
        if (settings_.read)
            client.set_read_timeout(*settings_.read);
        if (settings_.tls_ca)
            client.set_ca_cert_path(*settings_.tls_ca);
        if (settings_.proxy)
            client.set_proxy(settings_.proxy->host, std::stoi(settings_.proxy->port));
    }

    httplib::Headers headers(const Exchange &exchange) const
    {
        httplib::Headers headers(exchange.fields.begin(), exchange.fields.end());
        headers.emplace("Accept-Encoding", settings_.decompress ? "gzip, deflate, br" : "identity");
        return headers;
    }

    static httplib::MultipartFormDataItems items(const Multipart &body)
    {
        httplib::MultipartFormDataItems items;
        for (const auto &[name, value] : body.fields)
            items.push_back({name, value, "", ""});
        for (const auto &file : body.files) {
            std::string content;
            httplib::detail::read_file(file.path, content);
            items.push_back({file.name, content, file.filename, file.content_type});
        }
        return items;
    }

    httplib::Result send(httplib::Client &client, const Exchange &exchange, Answer answer) const
    {
        const auto &target = exchange.url.target;
        const auto fields = headers(exchange);
        std::string room;
        if (exchange.method == "HEAD")
            return client.Head(target, fields);
        if (exchange.method == "GET" && settings_.whole)
            return client.Get(target, fields);
        if (exchange.method == "GET")
            return client.Get(target, fields, [&](const char *data, size_t size) {
                return answer.content({data, size});
            });
        if (const auto *form = std::get_if<Form>(&exchange.body))
            return client.Post(target, fields,
                               httplib::Params(form->fields.begin(), form->fields.end()));
        if (const auto *parts = std::get_if<Multipart>(&exchange.body))
            return client.Post(target, fields, items(*parts));
        const auto content = exchange.content(room);
        if (exchange.method == "PUT")
            return client.Put(target, fields, content.data(), content.size(),
                              exchange.content_type);
        return client.Post(target, fields, content.data(), content.size(), exchange.content_type);
    }
};

int main()
{
    return serve<Httplib>({
        "cpp-httplib",
        CPPHTTPLIB_VERSION,
        "",
        "http/1.1 tls proxy method.get method.head method.post method.put "
        "body.form body.json body.multipart body.raw headers "
        "connection.reuse connection.fresh concurrency "
        "sink.buffer sink.json sink.discard sink.file decompression coding.deflate coding.br "
        "redirects timeout.connect timeout.read option.tcp_nodelay inject.busy",
    });
}
