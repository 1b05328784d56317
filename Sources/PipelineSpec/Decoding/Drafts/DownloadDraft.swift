internal import Diagnostics
import JSONText

/// Values of `download` while it is decoded.
struct DownloadDraft {
  var url: Template?
  var path: Template?
}
