internal import Diagnostics

/// `download` while it is read.
struct DownloadDraft {
  var url: Template?
  var path: Template?
}
