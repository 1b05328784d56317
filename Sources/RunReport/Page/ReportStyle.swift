/// The look of the page.
enum ReportStyle {
  static let css: StaticString = """
    :root{color-scheme:light dark;--back:#fff;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;--zebra:#f6f8fa;
    --good:#116329;--bad:#a40e26;--retry:#a40e26;--rate:#9a6700;--queue:#6e7781;--connect:#8250df;--wait:#54aeff;
    --receive:#0a5c2f;--series:#0969da}
    @media (prefers-color-scheme:dark){:root{--back:#0d1117;--text:#e6edf3;--soft:#9aa4af;--line:#30363d;
    --zebra:#161b22;--good:#56d364;--bad:#ff7b72;--retry:#ff7b72;--rate:#e3b341;--queue:#8b949e;--connect:#bc8cff;
    --wait:#388bfd;--receive:#7ee787;--series:#58a6ff}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--back);color:var(--text);font:15px/1.45 system-ui,sans-serif}
    main{max-width:1200px;margin:0 auto;padding:1rem}
    h1{font-size:1.5rem;margin:.2em 0;overflow-wrap:anywhere}
    h2{font-size:1.2rem;margin:2em 0 .4em;border-bottom:1px solid var(--line)}
    h3{font-size:1rem;margin:1.4em 0 0;overflow-wrap:anywhere}
    p{margin:.4em 0;max-width:48rem}
    .o{unicode-bidi:isolate;overflow-wrap:anywhere}
    .verdict{padding:.5em .8em;border:1px solid var(--line);border-left:6px solid var(--soft)}
    .complete{border-left-color:var(--good)}
    .complete strong{color:var(--good)}
    .capped,.partial{border-left-color:var(--rate)}
    .capped strong,.partial strong{color:var(--rate)}
    .short,.failed{border-left-color:var(--bad)}
    .short strong,.failed strong{color:var(--bad)}
    .figures{display:flex;flex-wrap:wrap;gap:.6em 2em;margin:1em 0}
    dt,.sum,figcaption{color:var(--soft);font-size:.87rem}
    dd{margin:0;font-size:1.15rem;font-variant-numeric:tabular-nums}
    .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(300px,100%),1fr));gap:1rem}
    figure{margin:0;min-width:0;break-inside:avoid}
    figcaption{color:var(--text);font-weight:600}
    svg{display:block}
    svg text{fill:var(--soft);font-size:11px}
    .grid{stroke:var(--line)}
    .line{fill:none;stroke:var(--series);stroke-width:2;vector-effect:non-scaling-stroke}
    .area{fill:var(--series);opacity:.15}
    .scroll{overflow-x:auto}
    table{border-collapse:collapse;font-size:.9rem}
    th,td{padding:.25em .7em;text-align:left;vertical-align:top;border-bottom:1px solid var(--line)}
    thead th{color:var(--soft);white-space:nowrap}
    tbody th{font-weight:600}
    .n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
    .url{min-width:14rem}
    tr{break-inside:avoid}
    .legend{display:flex;flex-wrap:wrap;gap:.2em 1.4em;margin:.6em 0;padding:0;list-style:none;font-size:.87rem}
    .legend li{display:flex;align-items:center;gap:.5em}
    .rows{display:grid;grid-template-columns:minmax(0,clamp(8rem,28vw,20rem)) minmax(0,1fr);gap:0 .6rem;
    break-inside:avoid}
    .labels{margin:0;padding:18px 0 0;list-style:none;font-size:12px;line-height:18px;min-width:0}
    .labels li{height:18px;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
    .labels li:nth-child(even){background:var(--zebra)}
    .labels b{border:1px solid var(--bad);border-radius:3px;color:var(--bad);padding:0 3px;font-size:11px}
    .hit{fill:transparent}
    g:nth-of-type(even) .hit{fill:var(--zebra);opacity:.6}
    .p0,.p1,.p2{stroke-width:4}
    .p0{stroke:var(--retry);stroke-dasharray:6 3}
    .p1{stroke:var(--rate)}
    .p2{stroke:var(--queue);stroke-dasharray:2 3}
    .p3{fill:var(--connect)}
    .p4{fill:var(--wait)}
    .p5,.dot{fill:var(--receive)}
    @media (max-width:600px){main{padding:.6rem}th,td{padding:.2em .4em}}
    @media print{:root{color-scheme:light;--back:#fff;--text:#000;--soft:#444;--line:#bbb;--zebra:#f4f4f4;
    --good:#116329;--bad:#a40e26;--retry:#a40e26;--rate:#9a6700;--queue:#6e7781;--connect:#8250df;--wait:#54aeff;
    --receive:#0a5c2f;--series:#0969da}body{font-size:11px}main{max-width:none;padding:0}
    svg,.labels b{-webkit-print-color-adjust:exact;print-color-adjust:exact}.scroll{overflow:visible}h2,h3,.sum{break-after:avoid}}

    """
}
