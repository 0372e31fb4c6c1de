/** One value of a metric. */
export interface Sample {
  /** `mainstay_vm_cpu_usage_ratio`; counters end in `_total`. */
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

/**
 * Formats a sample in the Prometheus text format. `at`: timestamp in milliseconds; if omitted, the reader uses its own
 * clock.
 */
export function lineOf({ name, labels, value }: Sample, at?: number): string {
  const words = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  const series = words.length === 0 ? name : `${name}{${words.join(',')}}`
  return at === undefined ? `${series} ${value}` : `${series} ${value} ${Math.round(at)}`
}
