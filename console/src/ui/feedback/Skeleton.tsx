import { useUiText } from '../ui-text'
import { VisuallyHidden } from '../VisuallyHidden'
import css from './Skeleton.module.css'

export interface SkeletonProps {
  /** CSS size of the expected content. */
  width?: string | undefined
  height?: string | undefined
}

/** A gray placeholder the size of the content. Show it only after 150 ms (`useDelayed`). */
export const Skeleton = ({ width = '100%', height = '0.75em' }: SkeletonProps) => (
  <span className={css.skeleton} style={{ inlineSize: width, blockSize: height }} aria-hidden="true" />
)

const widths = ['62%', '48%', '71%', '55%', '66%']

interface SkeletonRowsProps {
  rows?: number
  columns?: number
  /** Column widths as in `grid-template-columns`. */
  template?: string
}

/** Placeholder rows for a list that is loading, as high as real rows. */
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
