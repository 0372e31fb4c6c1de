import { classes } from '../../lib/classes'
import { sparklinePaths } from './sparkline-paths'
import css from './Sparkline.module.css'

export interface SparklineProps {
  /** Accessible name with the last value: "CPU, 42%". */
  label: string
  /** Evenly spaced values; `null` is shown as a gap. */
  values: readonly (number | null)[]
  /** Lower limit of the scale, 0 by default. The upper limit is the highest value by default. */
  low?: number | undefined
  high?: number | undefined
  width?: number | undefined
  height?: number | undefined
  className?: string | undefined
}

/** A small line chart as high as a line of text. Not mirrored in RTL, because time always runs to the right. */
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
