import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { MetricSeries } from './metric-series'

export interface Drawing {
  show(figures: MetricSeries): void
  destroy(): void
}

interface DrawOptions {
  /** The container, which determines the width. */
  box: HTMLElement
  height: number
  /** Elements in the series colors: a canvas cannot read CSS variables. */
  swatches: readonly HTMLElement[]
  /** Upper end of the scale; default: derived from the highest value. */
  high?: number | undefined
  /** For bytes: divides the axis by powers of two. */
  isBinary: boolean
  value: (value: number) => string
  time: (seconds: number) => string
  /** Called with the index of the point under the cursor, or null when it leaves the chart. */
  onCursor: (index: number | null) => void
}

/** Key that synchronizes the cursors of all charts on a page. */
const SYNC = 'mainstay'
const AXIS_WIDTH = 62
const powersOfTwo = Array.from({ length: 64 }, (_, exponent) => 2 ** exponent)

const colourOf = (element: HTMLElement | undefined) => (element ? getComputedStyle(element).color : '#888')

function faint(colour: string, share: number): string {
  const [red = '0', green = '0', blue = '0'] = colour.match(/[\d.]+/g) ?? []
  return `rgba(${red}, ${green}, ${blue}, ${share})`
}

/** Draws a line chart, and redraws it when the width or the theme changes. */
export function draw(
  figures: MetricSeries,
  { box, height, swatches, high, isBinary, value, time, onCursor }: DrawOptions,
): Drawing {
  const dim = () => colourOf(box)
  const line = () => faint(dim(), 0.2)
  const dataOf = ({ times, rows }: MetricSeries): uPlot.AlignedData => [[...times], ...rows.map((row) => [...row])]
  const width = () => Math.max(120, box.clientWidth)
  const axis = { stroke: dim, font: `11px ${getComputedStyle(box).fontFamily}`, grid: { stroke: line, width: 1 } }
  const plot = new uPlot(
    {
      width: width(),
      height,
      padding: [8, 16, 0, 0],
      legend: { show: false },
      cursor: { sync: { key: SYNC }, drag: { x: false, y: false }, y: false, points: { size: 7 } },
      scales: { x: { time: true }, y: { range: (_, __, most) => [0, high ?? (most > 0 ? most * 1.15 : 1)] } },
      axes: [
        {
          ...axis,
          grid: { show: false },
          ticks: { show: false },
          size: 26,
          space: 70,
          values: (_, splits) => splits.map(time),
        },
        {
          ...axis,
          ticks: { show: false },
          size: AXIS_WIDTH,
          space: Math.min(36, height / 4),
          ...(isBinary && { incrs: powersOfTwo }),
          values: (_, splits) => splits.map(value),
        },
      ],
      series: [
        {},
        ...figures.rows.map((_, at): uPlot.Series => {
          const colour = () => colourOf(swatches[at])
          return {
            stroke: colour,
            width: 1.5,
            spanGaps: false,
            points: { show: false },
            ...(figures.rows.length === 1 && { fill: () => faint(colour(), 0.1) }),
          }
        }),
      ],
      hooks: { setCursor: [({ cursor }) => onCursor((cursor.left ?? -1) < 0 ? null : (cursor.idx ?? null))] },
    },
    dataOf(figures),
    box,
  )
  const resized = new ResizeObserver(() => plot.setSize({ width: width(), height }))
  resized.observe(box)
  const repaint = () => plot.redraw(false)
  const themed = new MutationObserver(repaint)
  themed.observe(document.documentElement, { attributes: true })
  const dark = matchMedia('(prefers-color-scheme: dark)')
  dark.addEventListener('change', repaint)
  return {
    show: (next) => plot.setData(dataOf(next)),
    destroy() {
      resized.disconnect()
      themed.disconnect()
      dark.removeEventListener('change', repaint)
      plot.destroy()
    },
  }
}
