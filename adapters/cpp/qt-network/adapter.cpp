#include "fetchoff.hpp"

#include <QCoreApplication>
#include <QFile>
#include <QHttpMultiPart>
#include <QNetworkAccessManager>
#include <QNetworkProxy>
#include <QNetworkReply>
#include <QSslConfiguration>

using namespace fetchoff;

class QtNetwork : public Loop
{
  public:
    explicit QtNetwork(const Settings &settings) : settings_(settings)
    {
        /* docs: "6 requests are executed in parallel for one host/port combination" */
        if (settings.protocol == FO_HTTP_1_1 && settings.concurrency > 6)
            throw Unsupported("concurrency");
        manager_.setProxy(settings.proxy ? proxy_at(*settings.proxy) : QNetworkProxy::NoProxy);
        if (settings.tls_ca)
            tls_.setCaCertificates(
                QSslCertificate::fromPath(QString::fromStdString(*settings.tls_ca)));
        tls_.setAllowedNextProtocols({settings.protocol == FO_H2
                                          ? QSslConfiguration::ALPNProtocolHTTP2
                                          : QSslConfiguration::NextProtocolHttp1_1});
    }

    void begin(const Exchange &exchange, Answer answer) override
    {
        QNetworkReply *reply = send(exchange);
        if (!settings_.whole)
            QObject::connect(reply, &QNetworkReply::readyRead, [=]() { read(reply, answer); });
        QObject::connect(reply, &QNetworkReply::finished, [=]() { finish(reply, answer); });
    }

    void wait() override
    {
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }

  private:
    Settings settings_;
    QNetworkAccessManager manager_;
    QSslConfiguration tls_ = QSslConfiguration::defaultConfiguration();

    static QNetworkProxy proxy_at(const Url &url)
    {
        return {QNetworkProxy::HttpProxy, QString::fromStdString(url.host),
                static_cast<quint16>(std::stoi(url.port))};
    }

    QNetworkRequest request_of(const Exchange &exchange) const
    {
        QNetworkRequest request(QUrl(QString::fromStdString(exchange.url.text)));
        for (const auto &[name, value] : exchange.fields)
            request.setRawHeader(QByteArray::fromStdString(name), QByteArray::fromStdString(value));
        if (!exchange.content_type.empty())
            request.setRawHeader("Content-Type", QByteArray::fromStdString(exchange.content_type));
        if (settings_.fresh)
            request.setRawHeader("Connection", "close");
        if (!settings_.decompress)
            request.setRawHeader("Accept-Encoding", "identity");
        if (!settings_.cookies) {
            request.setAttribute(QNetworkRequest::CookieLoadControlAttribute,
                                 QNetworkRequest::Manual);
            request.setAttribute(QNetworkRequest::CookieSaveControlAttribute,
                                 QNetworkRequest::Manual);
        }
        if (settings_.redirects) {
            request.setAttribute(QNetworkRequest::RedirectPolicyAttribute,
                                 QNetworkRequest::NoLessSafeRedirectPolicy);
            request.setMaximumRedirectsAllowed(settings_.redirects);
        }
        request.setAttribute(QNetworkRequest::Http2AllowedAttribute, settings_.protocol == FO_H2);
        request.setAttribute(QNetworkRequest::Http2DirectAttribute, settings_.protocol == FO_H2C);
        if (settings_.read)
            request.setTransferTimeout(static_cast<int>(settings_.read->count()));
        request.setSslConfiguration(tls_);
        return request;
    }

    static QByteArray encoded(const Form &form)
    {
        QByteArray text;
        for (const auto &[name, value] : form.fields) {
            text += text.isEmpty() ? "" : "&";
            text += QByteArray::fromStdString(name).toPercentEncoding() + "=" +
                    QByteArray::fromStdString(value).toPercentEncoding();
        }
        return text;
    }

    static QHttpMultiPart *parts_of(const Multipart &body)
    {
        auto *parts = new QHttpMultiPart(QHttpMultiPart::FormDataType);
        for (const auto &[name, value] : body.fields) {
            QHttpPart part;
            part.setRawHeader("Content-Disposition",
                              QByteArray::fromStdString("form-data; name=\"" + name + "\""));
            part.setBody(QByteArray::fromStdString(value));
            parts->append(part);
        }
        for (const auto &file : body.files) {
            QHttpPart part;
            part.setRawHeader("Content-Disposition",
                              QByteArray::fromStdString("form-data; name=\"" + file.name +
                                                        "\"; filename=\"" + file.filename + "\""));
            part.setRawHeader("Content-Type", QByteArray::fromStdString(file.content_type));
            auto *content = new QFile(QString::fromStdString(file.path), parts);
            content->open(QIODevice::ReadOnly);
            part.setBodyDevice(content);
            parts->append(part);
        }
        return parts;
    }

    QNetworkReply *send(const Exchange &exchange)
    {
        const auto request = request_of(exchange);
        if (exchange.method == "GET")
            return manager_.get(request);
        if (exchange.method == "HEAD")
            return manager_.head(request);
        if (const auto *body = std::get_if<Multipart>(&exchange.body)) {
            QHttpMultiPart *parts = parts_of(*body);
            QNetworkReply *reply = manager_.post(request, parts);
            parts->setParent(reply);
            return reply;
        }
        std::string room;
        const auto *form = std::get_if<Form>(&exchange.body);
        const auto text = form ? std::string_view() : exchange.content(room);
        const QByteArray content =
            form ? encoded(*form) : QByteArray(text.data(), static_cast<int>(text.size()));
        return exchange.method == "PUT" ? manager_.put(request, content)
                                        : manager_.post(request, content);
    }

    /* All of the content, or a piece of it for a sink that keeps none. */
    static void read(QNetworkReply *reply, Answer answer)
    {
        const QByteArray content = reply->readAll();
        answer.whole({content.constData(), static_cast<std::size_t>(content.size())});
    }

    /* A status of 400 or more is an error to Qt, and an answer to us. */
    static void finish(QNetworkReply *reply, Answer answer)
    {
        const auto status = reply->attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt();
        read(reply, answer);
        answer.status(status);
        if (reply->error() != QNetworkReply::NoError && status < 400)
            answer.fail(reply->errorString().toUtf8().constData());
        reply->deleteLater();
        answer.finish();
    }
};

int main(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    return serve<QtNetwork>({
        "qt-network",
        qVersion(),
        "",
        "http/1.1 h2 h2c tls proxy method.get method.head method.post method.put "
        "body.form body.json body.multipart body.raw headers "
        "connection.reuse connection.fresh concurrency "
        "sink.buffer sink.json sink.discard sink.file cookies decompression coding.deflate "
        "redirects timeout.read inject.busy",
    });
}
