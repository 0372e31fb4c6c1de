/** One figure at one time. */
export interface Sample {
  /** `mainstay_vm_cpu_usage_ratio`; what only grows ends in `_total`. */
  name: string
  labels: Readonly<Record<string, string>>
  value: number
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

/** In the text format of Prometheus; `at` in milliseconds, left out where whoever reads it has its own clock. */
export function lineOf({ name, labels, value }: Sample, at?: number): string {
  const words = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  const series = words.length === 0 ? name : `${name}{${words.join(',')}}`
  return at === undefined ? `${series} ${value}` : `${series} ${value} ${Math.round(at)}`
}
