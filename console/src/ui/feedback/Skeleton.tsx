import { useUiText } from '../ui-text'
import { VisuallyHidden } from '../VisuallyHidden'
import css from './Skeleton.module.css'

export interface SkeletonProps {
  /** CSS sizes of the text or thing to come. */
  width?: string | undefined
  height?: string | undefined
}

/** A grey stand-in of the real size. Show it after 150 ms only (`useDelayed`). */
export const Skeleton = ({ width = '100%', height = '0.75em' }: SkeletonProps) => (
  <span className={css.skeleton} style={{ inlineSize: width, blockSize: height }} aria-hidden="true" />
)

const widths = ['62%', '48%', '71%', '55%', '66%']

interface SkeletonRowsProps {
  rows?: number
  columns?: number
  /** Their widths, as those of a grid, where they are known. */
  template?: string
}

/** Rows of a list that is on its way, at the height of real rows. */
export function SkeletonRows({ rows = 5, columns = 4, template }: SkeletonRowsProps) {
  const text = useUiText()
  return (
    <div>
      <output>
        <VisuallyHidden>{text('loading')}</VisuallyHidden>
      </output>
      {Array.from({ length: rows }, (_, row) => (
        <div
          className={css.row}
          key={row}
          style={template === undefined ? undefined : { gridTemplateColumns: template }}
        >
          {Array.from({ length: columns }, (_, column) => (
            <Skeleton key={column} width={widths[(row + column) % widths.length]} />
          ))}
        </div>
      ))}
    </div>
  )
}
