// Lists inside records that were cut, and data that only looks so.

import JSONText
import Testing
import Wire

@testable import FetchPlan

@Suite struct NestedListsTests {
  private func cut(_ record: String) throws -> String? {
    let value = try JSONValue(parsing: Array(record.utf8))
    let isFound = !NestedLists.search.lines(of: Array(value.bytes) + [0x0A]).isEmpty
    let sign = NestedLists.first(in: value)?.sign
    // The search may find more records than were cut, but not fewer.
    #expect(isFound || sign == nil)
    return isFound ? sign : nil
  }

  @Test(
    "A list inside a record that says that it was cut is found, whatever the API",
    arguments: [
      // Stripe
      (
        #"{"id":"in_1","lines":{"object":"list","data":[{"id":1},{"id":2}],"has_more":true,"url":"/v1/lines"}}"#,
        "lines.has_more"
      ),
      // GraphQL
      (
        #"{"id":1,"labels":{"nodes":[{"n":1}],"pageInfo":{"hasNextPage":true,"endCursor":"c"}}}"#,
        "labels.pageInfo.hasNextPage"
      ),
      (#"{"id":1,"labels":{"totalCount":7,"nodes":[{"n":1}]}}"#, "labels.totalCount"),
      (#"{"id":1,"labels":{"totalCount":7,"edges":[{"node":{"n":1}}]}}"#, "labels.totalCount"),
      (#"{"nodes":[{"n":1}],"pageInfo":{"hasNextPage":true}}"#, "pageInfo.hasNextPage"),
      // Facebook
      (
        #"{"id":1,"comments":{"data":[{"id":2}],"paging":{"cursors":{"after":"a"},"next":"https://g/v1/comments?after=a"}}}"#,
        "comments.paging.next"
      ),
      // OData
      (
        #"{"id":1,"members":[{"id":2}],"members@odata.nextLink":"https://g/members?$skiptoken=x"}"#,
        "[\"members@odata.nextLink\"]"
      ),
      (#"{"id":1,"members@odata.count":9,"members":[{"id":2}]}"#, "[\"members@odata.count\"]"),
      // Salesforce
      (
        #"{"Id":1,"Contacts":{"totalSize":9,"done":false,"nextRecordsUrl":"/query/01g?x","records":[{"Id":2}]}}"#,
        "Contacts.nextRecordsUrl"
      ),
      // Jira, Bitbucket, Spring, AWS, Elasticsearch
      (
        #"{"fields":{"worklog":{"startAt":0,"maxResults":2,"total":31,"worklogs":[{"a":1},{"a":2}]}}}"#,
        "fields.worklog.total"
      ),
      (
        #"{"id":1,"commits":{"size":1,"limit":1,"isLastPage":false,"values":[{"id":2}],"nextPageStart":1}}"#,
        "commits.isLastPage"
      ),
      (#"{"id":1,"items":{"content":[{"a":1}],"totalElements":5,"number":0,"last":false}}"#, "items.totalElements"),
      (#"{"id":1,"tags":{"Tags":["a"],"NextToken":"xyz"}}"#, "tags.NextToken"),
      (#"{"id":1,"keys":{"Contents":[{"Key":"a"}],"IsTruncated":true}}"#, "keys.IsTruncated"),
      (#"{"key":"a","top":{"hits":{"total":{"value":9,"relation":"eq"},"hits":[{"_id":1}]}}}"#, "top.hits.total"),
      // Django REST framework, and lists in lists
      (
        #"{"id":1,"posts":{"count":9,"next":"https://h/posts?page=2","previous":null,"results":[{"id":1}]}}"#,
        "posts.next"
      ),
      (#"{"id":1,"orders":[{"id":2,"lines":{"data":[],"hasMore":true}}]}"#, "orders.*.lines.hasMore"),
      (#"{"id":1,"replies":{"list":[{"id":2}],"total_pages":3,"page":1}}"#, "replies.total_pages"),
    ])
  func found(record: String, sign: String) throws {
    let found = try cut(record)
    #expect(found?.hasPrefix("'\(sign)'") == true, "\(found ?? "none")")
  }

  @Test(
    "Data that only looks like a list that was cut is none",
    arguments: [
      #"{"id":1,"has_more":true}"#, #"{"id":1,"has_more":true,"tags":["a"]}"#,
      #"{"id":1,"next":"https://h?page=2","has_more":true}"#,
      #"{"id":1,"a":{"has_more":true}}"#, #"{"id":1,"a":{"hasNextPage":true,"x":{"data":[]}}}"#,
      #"{"id":1,"lines":{"data":[{"id":1}],"has_more":false}}"#,
      #"{"id":1,"note":"\"lines\":{\"data\":[],\"has_more\":true}"}"#,
      // A total of money, of pieces, of bytes; a total that was reached, or counts what was not asked for.
      #"{"id":1,"order":{"items":[{"price":20},{"price":30}],"total":50}}"#,
      #"{"id":1,"cart":{"items":[{"quantity":9}],"totalItems":9,"total_price":90}}"#,
      #"{"id":1,"files":{"list":[{"size":10}],"totalSize":10000}}"#,
      #"{"id":1,"comments":{"totalCount":2,"nodes":[{"a":1},{"a":2}]}}"#, #"{"id":1,"comments":{"totalCount":12}}"#,
      #"{"id":1,"likes":{"data":[],"summary":{"total_count":12}}}"#,
      #"{"fields":{"worklog":{"startAt":20,"maxResults":20,"total":22,"worklogs":[{"a":1},{"a":2}]}}}"#,
      // The next thing of its kind.
      #"{"id":1,"chapter":{"pages":[{"n":1}],"next":"/chapters/2","nextId":2}}"#,
      #"{"id":1,"author":{"books":[{"n":1}],"_links":{"next":{"href":"/authors/2"}}}}"#,
      #"{"id":1,"step":{"tasks":[{"n":1}],"next":"review","done":false}}"#,
      // A text that is truncated.
      #"{"id":1,"quoted":{"text":"abc…","truncated":true,"range":[0,140]}}"#,
      #"{"id":1,"members":[{"id":2}],"members@odata.nextLink":null}"#, #"[{"data":[1]},{"has_more":true}]"#, "1",
    ])
  func lookalikes(record: String) throws {
    #expect(try cut(record) == nil)
  }

  @Test("A record of any depth is read in bounded time")
  func deep() throws {
    let depth = 400
    let record =
      String(repeating: #"{"a":["#, count: depth) + #"{"lines":{"data":[],"has_more":true}}"#
      + String(repeating: "]}", count: depth)
    #expect(try cut(record) == nil)
  }
}
