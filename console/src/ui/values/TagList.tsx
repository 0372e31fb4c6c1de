import { Chip } from './Chip'
import css from './TagList.module.css'

export interface TagListProps {
  /** Their name: "Tags of web-1". */
  label: string
  tags: readonly string[]
  /** Makes them removable, each by a button of its own. */
  onRemove?: ((tag: string) => void) | undefined
}

/** Tags in a row. */
export function TagList({ label, tags, onRemove }: TagListProps) {
  return (
    <ul className={css.tags} aria-label={label}>
      {tags.map((tag) => (
        <li key={tag}>
          <Chip onRemove={onRemove && (() => onRemove(tag))}>{tag}</Chip>
        </li>
      ))}
    </ul>
  )
}
