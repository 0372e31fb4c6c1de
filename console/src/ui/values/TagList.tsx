import { Chip } from './Chip'
import css from './TagList.module.css'

export interface TagListProps {
  /** Accessible name: "Tags for web-1". */
  label: string
  tags: readonly string[]
  /** Called to remove a tag. If set, each tag has a remove button. */
  onRemove?: ((tag: string) => void) | undefined
}

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
