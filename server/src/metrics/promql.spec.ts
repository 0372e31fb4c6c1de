import { describe, expect, it } from 'vitest'
import { narrowedTo } from './promql'

const mine = { project_id: 'p1' }
const fieldOf = (labels: Record<string, string>, query: string): unknown => {
  try {
    return narrowedTo(labels, query)
  } catch (error) {
    return (error as { fields: Record<string, string[]> }).fields['query']?.[0]
  }
}

describe('a query restricted to a project', () => {
  it('gets the label in each of its selectors', () => {
    const cases = {
      mainstay_a: 'mainstay_a{project_id="p1"}',
      'mainstay_a{}': 'mainstay_a{project_id="p1",}',
      'mainstay_a{project_id="p2"}': 'mainstay_a{project_id="p1",project_id="p2"}',
      'sum by (x) (rate(mainstay_a{b="}",c=~`{`}[5m])) / on(x) mainstay_b offset 1h':
        'sum by (x) (rate(mainstay_a{project_id="p1",b="}",c=~`{`}[5m])) / on(x) mainstay_b{project_id="p1"} offset 1h',
      'max_over_time(mainstay_a[1h:5m]) or mainstay_c @ end()':
        'max_over_time(mainstay_a{project_id="p1"}[1h:5m]) or mainstay_c{project_id="p1"} @ end()',
      'mainstay_a # mainstay_b': 'mainstay_a{project_id="p1"} # mainstay_b',
      '1 + time()': '1 + time()',
    }
    for (const [query, narrowed] of Object.entries(cases)) expect(narrowedTo(mine, query)).toBe(narrowed)
    expect(narrowedTo({ project_id: 'a"b\\' }, 'mainstay_a')).toBe('mainstay_a{project_id="a\\"b\\\\"}')
    expect(narrowedTo({}, '{__name__=~"node_.+"}')).toBe('{__name__=~"node_.+"}')
  })

  it('must name one of this server’s metrics', () => {
    for (const query of ['{project_id="p2"}', '{__name__=~".+"}', 'up', 'sum({"mainstay_a"})', 'count({a="b"})'])
      expect(fieldOf(mine, query)).toContain('Specify metrics by name')
    expect(fieldOf(mine, 'mainstay_a{"mainstay_b"}')).toContain('Put the metric name before the labels')
  })

  it('must be valid PromQL; the error gives the position', () => {
    const bad = [
      'sum(mainstay_a',
      'mainstay_a{',
      'mainstay_a{b="c" or d="e"}',
      'WITH (x = mainstay_a) x',
      'label_set(mainstay_a, "project_id", "p1")',
      'mainstay_a} or mainstay_b{',
      'mainstay_a[5m',
      '"',
      '((((',
    ]
    for (const query of bad)
      expect(fieldOf(mine, query), query).toMatch(/This is not valid PromQL \(see character \d+\)/)
  })

  it('is limited in its number of metrics, range and subquery points', () => {
    expect(fieldOf(mine, Array(21).fill('mainstay_a').join(' + '))).toContain('at most 20 metrics')
    expect(fieldOf(mine, 'rate(mainstay_a[31d])')).toContain('longer than the 30 days')
    expect(fieldOf(mine, 'mainstay_a offset 1y')).toContain('longer than the 30 days')
    expect(fieldOf({}, 'max_over_time(mainstay_a[30d:1s])')).toContain('at most 1000 points')
    expect(fieldOf({}, 'max_over_time(mainstay_a[1h:])')).toContain('Enter the range and the step')
    expect(fieldOf({}, 'sum_over_time(max_over_time(mainstay_a[1h:5m])[1h:5m])')).toContain(
      'Subqueries cannot be nested',
    )
  })
})
