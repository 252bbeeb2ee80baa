#include "fetchoff.hpp"

#include <Poco/Net/FilePartSource.h>
#include <Poco/Net/HTMLForm.h>
#include <Poco/Net/HTTPRequest.h>
#include <Poco/Net/HTTPResponse.h>
#include <Poco/Net/HTTPSClientSession.h>
#include <Poco/StreamCopier.h>
#include <Poco/Version.h>
#include <map>

using namespace fetchoff;
using namespace Poco::Net;

class PocoNet : public Client
{
  public:
    explicit PocoNet(const Settings &settings) : settings_(settings)
    {
        if (settings.tls_ca)
            context_ = new Context(Context::TLS_CLIENT_USE, *settings.tls_ca);
        else
            context_ = new Context(Context::TLS_CLIENT_USE, "", Context::VERIFY_RELAXED, 9, true);
    }

    void exchange(const Exchange &exchange, Answer answer) override
    {
        HTTPClientSession &session = session_to(exchange.url);
        HTTPResponse response;
        try {
            send(session, exchange);
            read(session.receiveResponse(response), answer);
            if (const auto *problem = session.networkException())
                problem->rethrow(); /* the stream has only ended early */
        } catch (...) {
            session.reset();
            throw;
        }
        answer.status(response.getStatus());
    }

  private:
    Settings settings_;
    Context::Ptr context_;
    std::map<std::string, std::unique_ptr<HTTPClientSession>> sessions_;

    HTTPClientSession &session_to(const Url &url)
    {
        auto &session = sessions_[url.origin()];
        if (!session)
            session = open(url);
        return *session;
    }

    std::unique_ptr<HTTPClientSession> open(const Url &url) const
    {
        const auto port = static_cast<Poco::UInt16>(std::stoi(url.port));
        auto session = url.is_secure()
                           ? std::make_unique<HTTPSClientSession>(url.host, port, context_)
                           : std::make_unique<HTTPClientSession>(url.host, port);
        session->setKeepAlive(!settings_.fresh);
        session->setTimeout(span(settings_.connect), span(settings_.read), span(settings_.read));
        if (settings_.proxy)
            session->setProxy(settings_.proxy->host,
                              static_cast<Poco::UInt16>(std::stoi(settings_.proxy->port)));
        return session;
    }

    static Poco::Timespan span(const Milliseconds &limit)
    {
        using std::chrono::microseconds;
        const Poco::Timespan usual(60, 0); /* HTTPClientSession's own */
        return limit ? std::chrono::duration_cast<microseconds>(*limit).count() : usual;
    }

    void send(HTTPClientSession &session, const Exchange &exchange) const
    {
        HTTPRequest request(exchange.method, exchange.url.target, HTTPMessage::HTTP_1_1);
        std::string room;
        for (const auto &[name, value] : exchange.fields)
            request.add(name, value);
        if (const auto *form = std::get_if<Form>(&exchange.body)) {
            send(session, request, HTMLForm::ENCODING_URL, form->fields, {});
        } else if (const auto *parts = std::get_if<Multipart>(&exchange.body)) {
            send(session, request, HTMLForm::ENCODING_MULTIPART, parts->fields, parts->files);
        } else if (!exchange.content_type.empty()) {
            const auto content = exchange.content(room);
            request.setContentType(exchange.content_type);
            request.setContentLength64(static_cast<Poco::Int64>(content.size()));
            session.sendRequest(request).write(content.data(),
                                               static_cast<std::streamsize>(content.size()));
        } else {
            if (exchange.method == HTTPRequest::HTTP_POST)
                request.setContentLength(0);
            session.sendRequest(request);
        }
    }

    static void send(HTTPClientSession &session, HTTPRequest &request, const std::string &encoding,
                     const std::vector<Field> &fields, const std::vector<File> &files)
    {
        HTMLForm form(encoding);
        for (const auto &[name, value] : fields)
            form.add(name, value);
        for (const auto &file : files)
            form.addPart(file.name,
                         new FilePartSource(file.path, file.filename, file.content_type));
        form.prepareSubmit(request);
        form.write(session.sendRequest(request));
    }

    void read(std::istream &stream, Answer answer) const
    {
        if (settings_.whole) {
            std::string content;
            Poco::StreamCopier::copyToString(stream, content);
            answer.whole(content);
            return;
        }
        const auto size = settings_.read_size.value_or(8192);
        do
            stream.read(answer.room(size), static_cast<std::streamsize>(size));
        while (answer.read(static_cast<std::size_t>(stream.gcount())) && stream);
    }
};

int main()
{
    initializeSSL();
    const auto version = std::to_string(POCO_VERSION >> 24) + "." +
                         std::to_string(POCO_VERSION >> 16 & 255) + "." +
                         std::to_string(POCO_VERSION >> 8 & 255);
    return serve<PocoNet>({
        "poco",
        version,
        "",
        "http/1.1 tls proxy method.get method.head method.post method.put "
        "body.form body.json body.multipart body.raw headers "
        "connection.reuse connection.fresh concurrency "
        "sink.buffer sink.json sink.discard sink.file read-size "
        "timeout.connect timeout.read inject.busy",
    });
}
