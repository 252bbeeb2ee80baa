#include "fetchoff.hpp"

#include <cpr/cpr.h>
#include <curl/curl.h>

using namespace fetchoff;

class Cpr : public Client
{
  public:
    explicit Cpr(const Settings &settings) : settings_(settings)
    {
        session_.SetVerifySsl(true);
        /* Each session has a connection of its own, where what is in flight is to share one. */
        if (settings.protocol == FO_H2 && settings.concurrency > 1)
            throw Unsupported("h2");
        session_.SetHttpVersion(cpr::HttpVersion(settings.protocol == FO_H2
                                                     ? cpr::HttpVersionCode::VERSION_2_0_TLS
                                                     : cpr::HttpVersionCode::VERSION_1_1));
        session_.SetRedirect(cpr::Redirect(settings.redirects, settings.redirects > 0, false,
                                           cpr::PostRedirectFlags::NONE));
        if (settings.tls_ca)
            session_.SetSslOptions(cpr::Ssl(cpr::ssl::CaInfo(std::string(*settings.tls_ca))));
        if (settings.connect)
            session_.SetConnectTimeout(*settings.connect);
        if (settings.total)
            session_.SetTimeout(*settings.total);
        const std::string proxy = settings.proxy ? settings.proxy->text : "";
        session_.SetProxies({{"http", proxy}, {"https", proxy}});
        if (settings.decompress)
            session_.SetAcceptEncoding(
                {cpr::AcceptEncodingMethods::gzip, cpr::AcceptEncodingMethods::deflate});
        else
            session_.SetAcceptEncoding({cpr::AcceptEncodingMethods::disabled});
    }

    void exchange(const Exchange &exchange, Answer answer) override
    {
        session_.SetUrl(cpr::Url(exchange.url.text));
        session_.SetHeader(header_of(exchange));
        set_body(exchange);
        if (!settings_.whole)
            session_.SetWriteCallback(cpr::WriteCallback(
                [&](const std::string_view &data, intptr_t) { return answer.content(data); }));
        if (!settings_.cookies) /* a session keeps them, and has no switch for it */
            curl_easy_setopt(session_.GetCurlHolder()->handle, CURLOPT_COOKIELIST, "ALL");
        const cpr::Response response = send(exchange.method);
        if (response.error)
            throw std::runtime_error(response.error.message);
        answer.status(static_cast<int>(response.status_code));
        answer.whole(response.text); /* empty if it went to the callback */
    }

  private:
    Settings settings_;
    cpr::Session session_;

    cpr::Header header_of(const Exchange &exchange) const
    {
        cpr::Header header(exchange.fields.begin(), exchange.fields.end());
        if (!exchange.content_type.empty())
            header["Content-Type"] = exchange.content_type;
        if (settings_.fresh)
            header["Connection"] = "close";
        return header;
    }

    void set_body(const Exchange &exchange)
    {
        std::string room;
        if (const auto *form = std::get_if<Form>(&exchange.body)) {
            cpr::Payload payload{};
            for (const auto &[name, value] : form->fields)
                payload.Add({name, value});
            session_.SetPayload(payload);
        } else if (const auto *body = std::get_if<Multipart>(&exchange.body)) {
            cpr::Multipart parts{};
            for (const auto &[name, value] : body->fields)
                parts.parts.emplace_back(name, value);
            for (const auto &file : body->files)
                parts.parts.emplace_back(file.name, cpr::Files{cpr::File(file.path, file.filename)},
                                         file.content_type);
            session_.SetMultipart(parts);
        } else if (!exchange.content_type.empty()) {
            session_.SetBody(cpr::Body(std::string(exchange.content(room))));
        } else {
            session_.RemoveContent();
        }
    }

    cpr::Response send(const std::string &method)
    {
        if (method == "HEAD")
            return session_.Head();
        if (method == "POST")
            return session_.Post();
        if (method == "PUT")
            return session_.Put();
        return session_.Get();
    }
};

int main()
{
    return serve<Cpr>({
        "cpr",
        CPR_VERSION,
        std::string("libcurl ") + curl_version_info(CURLVERSION_NOW)->version,
        "http/1.1 h2 tls proxy method.get method.head method.post method.put "
        "body.form body.json body.multipart body.raw headers "
        "connection.reuse connection.fresh concurrency "
        "sink.buffer sink.json sink.discard sink.file cookies decompression coding.deflate "
        "redirects timeout.connect timeout.total inject.busy",
    });
}
