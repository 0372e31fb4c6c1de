import { classes } from '../../lib/classes'
import { sparklinePaths } from './sparkline-paths'
import css from './Sparkline.module.css'

export interface SparklineProps {
  /** What it shows, with its last value: "CPU, 42%". */
  label: string
  /** Evenly spaced; `null` is a gap and is shown as one. */
  values: readonly (number | null)[]
  /** The scale. Without it, from 0 to the highest. */
  low?: number | undefined
  high?: number | undefined
  width?: number | undefined
  height?: number | undefined
  className?: string | undefined
}

/** How a number moved, in the height of a line of text. Not mirrored in RTL: time runs to the right. */
export function Sparkline({ label, values, low, high, width = 80, height = 20, className }: SparklineProps) {
  const paths = sparklinePaths(values, { width, height, low, high })
  return (
    <svg
      className={classes(css.sparkline, className)}
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      {paths.map(({ line, area }) => (
        <g key={line}>
          <path className={css.area} d={area} />
          <path className={css.line} d={line} />
        </g>
      ))}
    </svg>
  )
}
