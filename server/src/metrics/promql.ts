import type { SyntaxNodeRef } from '@lezer/common'
import { durationSeconds, KEPT_SECONDS } from '@mainstay/contract/monitoring/metric-queries'
import { problemOf } from '@mainstay/contract/core/problems'
import { parser } from '@prometheus-io/lezer-promql'
import { says, type RuleText } from '@mainstay/contract/core/said'

/** Maximum number of metrics in a query. */
const MOST_SELECTORS = 20
/** Maximum number of points in a subquery, per point of the outer query. */
const MOST_INNER_POINTS = 1000

/** Names of the server's own metrics, which are the only ones that tenants can query. */
const ownName = /^mainstay_[a-z][a-z0-9_]{0,100}$/

/** Whether a string literal is terminated; the grammar also accepts unterminated ones. */
const isWhole = (literal: string): boolean => literal.length > 1 && literal.at(-1) === literal[0]

const refuse = (message: RuleText) => problemOf(message, { field: 'query' })

/** Labels that every series of a restricted query must have. */
export type Labels = Readonly<Record<string, string>>

/**
 * Checks an untrusted query against the PromQL grammar and the query limits, and adds the labels to every selector, so
 * that only series with these labels can match, regardless of the query. Without labels, any metric is allowed. Throws
 * a `validation` error on the `query` field.
 */
export function narrowedTo(labels: Labels, query: string): string {
  const isNarrowed = Object.keys(labels).length > 0
  const forced = Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',')
  const places: { at: number; text: string }[] = []
  let selectors = 0
  let inner = 0
  const tree = parser.parse(query)
  // report syntax errors before anything else
  tree.iterate({
    enter({ type, name, from, to }) {
      const isBroken = type.isError || (name === 'StringLiteral' && !isWhole(query.slice(from, to)))
      if (isBroken) throw refuse(says('monitoring.not_promql', { place: from + 1 }))
    },
  })
  tree.iterate({
    enter(node) {
      if (node.name === 'SubqueryExpr') {
        inner += 1
        if (inner > 1) throw refuse(says('monitoring.nested_range'))
        requireFewPoints(query.slice(node.from, node.to))
      }
      if (node.name === 'NumberDurationLiteralInDurationContext') requireKept(query.slice(node.from, node.to))
      if (node.name !== 'VectorSelector') return
      selectors += 1
      if (selectors > MOST_SELECTORS) throw refuse(says('monitoring.too_many_metrics', { most: MOST_SELECTORS }))
      if (isNarrowed) places.push(placeIn(node, query, forced))
    },
    leave(node) {
      if (node.name === 'SubqueryExpr') inner -= 1
    },
  })
  // insert from the end, so that earlier positions stay valid
  return places.toReversed().reduce((text, { at, text: more }) => text.slice(0, at) + more + text.slice(at), query)
}

/**
 * Where to insert the forced labels in a selector. Throws if the selector does not name one of this server's metrics.
 */
function placeIn({ node: selector }: SyntaxNodeRef, query: string, forced: string): { at: number; text: string } {
  const name = selector.getChild('Identifier')
  const matchers = selector.getChild('LabelMatchers')
  if (!name || !ownName.test(query.slice(name.from, name.to))) throw refuse(says('monitoring.name_metrics'))
  if (!matchers) return { at: name.to, text: `{${forced}}` }
  for (const quoted of matchers.getChildren('QuotedLabelName'))
    throw refuse(says('monitoring.name_before_labels', { place: quoted.from + 1 }))
  return { at: matchers.from + 1, text: `${forced},` }
}

function requireKept(text: string): void {
  const seconds = durationSeconds(text)
  if (seconds === null || seconds > KEPT_SECONDS) throw refuse(says('monitoring.range_too_long', { range: text }))
}

/** Limits how many points a subquery such as `…[1h:5m]` may have per point of the outer query. */
function requireFewPoints(text: string): void {
  const [, range = '', step = ''] = /\[\s*([^[\]:]+?)\s*:\s*([^[\]:]*?)\s*\][^\]]*$/.exec(text) ?? []
  const [ofRange, ofStep] = [durationSeconds(range), durationSeconds(step)]
  if (ofRange === null || !ofStep) throw refuse(says('monitoring.plain_durations'))
  if (ofRange / ofStep > MOST_INNER_POINTS) throw refuse(says('monitoring.inner_step', { most: MOST_INNER_POINTS }))
}
