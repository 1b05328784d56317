// The meaning of a CURLcode, as a message with the server, the problem and a remedy.

import Primitives
import CCurl
import Wire

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The outcome of a transfer as libcurl reports it; it must be read before its handle is reused.
struct CurlOutcome {
  /// The relevant CURLcodes (https://curl.se/libcurl/c/libcurl-errors.html).
  private enum Code: Int32 {
    case unsupportedProtocol = 1
    case badURL = 3
    case noProxy = 5
    case noHost = 6
    case noConnection = 7
    case weirdReply = 8
    case http2 = 16
    case partialFile = 18
    case outOfMemory = 27
    case timeout = 28
    case tlsHandshake = 35
    case emptyReply = 52
    case sendError = 55
    case receiveError = 56
    case badCertificate = 58
    case untrusted = 60
    case badEncoding = 61
    case badTrustFile = 77
    case http2Stream = 92
    case proxy = 97
    case tooLarge = 100
  }

  /// Other codes about TLS: engine, cipher, certificate, issuer, revocation list, status.
  private static let otherTLS: Set<Int32> = [53, 54, 59, 64, 66, 80, 82, 83, 90, 91, 98]

  /// Codes of a connection that the server closed.
  ///
  /// libcurl repeats some of these requests with HTTP/1.1.
  private static let breakingOff: Set<Code> = [.http2, .partialFile, .emptyReply, .sendError, .receiveError]

  private let trust: CurlTrust
  private let number: Int32
  private let words: String
  private let errno: Int32
  private let received: UInt64
  private let promised: String?
  private let isHeadWhole: Bool
  private let isHeadTooLarge: Bool
  private let isBodyTooLarge: Bool
  /// Address of the peer that the guard refused.
  private let refusedPeer: String?
  /// True if the TLS that failed is the proxy's, not the server's.
  private let isOfProxy: Bool
  private let isRepeatRefused: Bool
  /// True if nothing arrived on a connection that had been used before.
  private let isConnectionStale: Bool

  /// Reads the outcome of a transfer.
  ///
  /// - Parameter isConnectionShared: true if other requests have used the connection.
  init(
    _ code: Int32, of easy: OpaquePointer, for transfer: CurlTransfer, isConnectionShared: Bool = false,
    trusting trust: CurlTrust
  ) {
    self.trust = trust
    number = code
    words = String(cString: ccurl_easy_problem(easy))
    errno = ccurl_easy_errno(easy)
    received = ccurl_easy_received(easy)
    let head = transfer.inflow.head.flatMap { try? ReplyHead(parsing: $0, url: transfer.request.url) }
    promised = head?.fields["Content-Length"]
    isHeadWhole = transfer.inflow.isHeadWhole
    isHeadTooLarge = ccurl_inflow_head_too_large(transfer.inflow.pointer)
    isBodyTooLarge = ccurl_inflow_body_too_large(transfer.inflow.pointer)
    refusedPeer = ccurl_easy_peer_refused(easy) ? transfer.inflow.peer : nil
    let origin = Origin(of: transfer.request.url.text)
    isOfProxy = origin?.scheme == "http" || ccurl_easy_is_before_tunnel(easy, origin?.port ?? 0)
    isRepeatRefused = ccurl_easy_repeat_refused(easy)
    let isBrokenOff = isRepeatRefused || Code(rawValue: code).map(CurlOutcome.breakingOff.contains) == true
    isConnectionStale =
      isBrokenOff && ccurl_inflow_head_bytes(transfer.inflow.pointer) == 0
      && (isConnectionShared || ccurl_easy_connection_used(easy))
  }

  private init(_ code: Code) {
    (number, words, errno, received, promised) = (code.rawValue, "out of memory", 0, 0, nil)
    (isHeadWhole, isHeadTooLarge, isBodyTooLarge, refusedPeer) = (true, false, false, nil)
    (isOfProxy, isRepeatRefused, isConnectionStale) = (false, false, false)
    trust = CurlTrust(environment: [:])
  }

  static let outOfMemory = CurlOutcome(.outOfMemory)

  func fault(for request: Request) -> TransportError {
    let (kind, problem) = meaning(for: request)
    return TransportError(kind, url: request.url, problem: problem)
  }

  private typealias Meaning = (TransportError.Kind, String)

  private func meaning(for request: Request) -> Meaning {
    let peer = request.url.peer
    if let refusedPeer {
      return (
        .redirect,
        "redirected to \(peer), which is at \(refusedPeer), in this machine or a private network; only a step whose own "
          + "'endpoint' is there may be led there"
      )
    }
    if isConnectionStale {
      return (.stale, "\(peer) closed a connection that had been used before, without an answer")
    }
    if isRepeatRefused {
      return (.cut, "\(peer) refused the request twice without processing it (HTTP/2 REFUSED_STREAM)")
    }
    if isBodyTooLarge { return (.tooLarge, request.tooLong) }
    if isHeadTooLarge || isHeadRefused { return (.tooLarge, "\(peer) \(Self.tooMuchHead)") }
    return switch Code(rawValue: number) {
    // The reply has no status line, a status without three digits, or an unknown HTTP version.
    case .unsupportedProtocol where !words.hasPrefix("Protocol"):
      (.other, "\(peer) answered, but does not speak HTTP: see whether \(schemeAdvice(for: request))")
    case .unsupportedProtocol, .badURL: (.badURL, "this is not an http or https URL that can be requested (\(words))")
    case .noProxy: (.resolve, "could not resolve the proxy\(unresolvedProxy): \(CurlProxyProblem.proxyRemedy)")
    case .noHost: (.resolve, "could not resolve host '\(request.url.host)': see whether its name is right")
    case .noConnection where words.hasPrefix("Unsupported proxy"): (.other, "\(words): \(CurlProxyProblem.proxyRemedy)")
    case .noConnection: (.connect, connectProblem(for: request))
    case .timeout: (.timeout, timeoutProblem(for: request))
    case .partialFile where isHeadWhole: (.cut, cutProblem)
    case .emptyReply, .partialFile: (.cut, "\(peer) closed the connection without a reply")
    case .receiveError where words.contains("CONNECT"): refusal(of: request)
    case .sendError where TLSFailure.isOfClient(words), .receiveError where TLSFailure.isOfClient(words):
      (.tls, tlsFailure(for: request).problem)
    case .sendError, .receiveError: (.cut, "the connection to \(peer) was lost\(progress): \(words)")
    case .http2, .http2Stream: (.cut, "\(peer) broke off\(progress): \(words)")
    case .proxy: (.connect, "the proxy failed on \(peer): \(words)")
    case .weirdReply: (.other, "\(peer) sent a head that is not valid HTTP: \(words)")
    case .badEncoding: (.other, "the body is not what its Content-Encoding says: \(words)")
    case .tlsHandshake where CurlProxyProblem(words).isBrokenOff:
      (.connect, "\(isOfProxy ? "the proxy" : peer) broke off while TLS was being set up: \(words)")
    case .badTrustFile, .badCertificate, .untrusted, .tlsHandshake: (.tls, tlsFailure(for: request).problem)
    default: (CurlOutcome.otherTLS.contains(number) ? .tls : .other, "\(peer): \(words) (curl error \(number))")
    }
  }

  /// A server that expects TLS answers plain HTTP with an alert, which is no HTTP.
  private func schemeAdvice(for request: Request) -> String {
    let remedy = "host and port are right"
    return Origin(of: request.url.text)?.scheme == "http" ? "\(remedy), or begin the URL with 'https://'" : remedy
  }

  private static let tooMuchHead = "sent response headers over the limit (300 KB, 100 KB a line)"

  /// True for a header line of more than 100 KB: curl reports that it is out of memory (7.84) or a size limit (8.6).
  private var isHeadRefused: Bool {
    !isHeadWhole && (number == Code.outOfMemory.rawValue || number == Code.tooLarge.rawValue)
  }

  private var progress: String { isHeadWhole ? " after \(received) bytes of the body" : "" }

  private var cutProblem: String {
    promised.map { "the connection ended after \(received) of \($0) bytes" }
      ?? "the connection ended after \(received) bytes, before the body was whole"
  }

  /// Returns the meaning of a proxy's answer to CONNECT.
  ///
  /// Its status may change at the next attempt if the same status of a server may.
  private func refusal(of request: Request) -> Meaning {
    let problem = "the proxy refused \(request.url.peer): \(words)"
    switch CurlProxyProblem(words).proxyStatus {
    case 407:
      return (.other, problem + "; \(CurlProxyProblem.proxyRemedy), which may have USER:PASSWORD@ in front of the host")
    case .some(let status) where !request.retry.statuses.contains(status):
      return (.other, problem + "; \(CurlProxyProblem.proxyRemedy)")
    default: return (.connect, problem)
    }
  }

  private var unresolvedProxy: String { CurlProxyProblem(words).unresolvedProxy.map { " '\($0)'" } ?? "" }

  /// Returns the peer that could not be reached, with a remedy.
  private func neighbour(for request: Request) -> (name: String, remedy: String) {
    CurlProxyProblem(words).proxy(for: request.url).map { ("the proxy \($0)", "; \(CurlProxyProblem.proxyRemedy)") }
      ?? (request.url.peer, "")
  }

  private func connectProblem(for request: Request) -> String {
    if let socket = request.ownSocket {
      let reason =
        switch errno {
        case ENOENT: "does not exist: see whether its server runs, and 'base'"
        case EACCES, EPERM: "refuses this user: give the user the right to write to it"
        case 0, ECONNREFUSED: "has no server: start the one that made it"
        default: "can't be connected to: \(String(cString: strerror(errno)).lowercased())"
        }
      return "the socket '\(socket)' \(reason)"
    }
    let (name, remedy) = neighbour(for: request)
    guard errno != 0, errno != ECONNREFUSED else { return "connection refused by \(name)\(remedy)" }
    return "could not connect to \(name): \(String(cString: strerror(errno)).lowercased())\(remedy)"
  }

  private func timeoutProblem(for request: Request) -> String {
    let (name, remedy) = neighbour(for: request)
    return "no connection to \(name) within \(min(request.stallTimeout, Request.connectLimit).formatted)\(remedy)"
  }

  /// Code 77 is about our own files, 60 about a certificate, 35 about anything before there is one.
  private func tlsFailure(for request: Request) -> TLSFailure {
    let stage: TLSFailure.Stage =
      switch Code(rawValue: number) {
      case .badTrustFile: .trust
      case .badCertificate: .client
      case .untrusted: .certificate
      default: TLSFailure.isOfClient(words) ? .client : .handshake
      }
    return TLSFailure(stage, with: isOfProxy ? nil : request.url, using: request.ownTLSFiles, trusting: trust, words)
  }
}

extension TransportError {
  /// Returns the error for a stalled transfer.
  ///
  /// - Parameter hasBegun: true if a part of the reply has arrived.
  static func stalled(_ request: Request, hasBegun: Bool) -> TransportError {
    let (peer, time) = (request.url.peer, request.timeout.formatted)
    let problem =
      (hasBegun ? "\(peer) stopped sending (fewer than 1,024 bytes in \(time))" : "\(peer) did not answer in \(time)")
      + "; give 'timeout' more if it is only slow"
    return TransportError(.timeout, url: request.url, problem: problem)
  }
}

extension Redactable {
  /// Host and port, for messages.
  var peer: String { Origin(of: redacted).map { "\($0.host):\($0.port)" } ?? redacted }
  var host: String { Origin(of: redacted)?.host ?? redacted }
}
