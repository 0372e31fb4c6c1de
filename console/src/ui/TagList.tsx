import { Button } from 'react-aria-components/Button'
import { Tag, TagGroup, TagList as AriaTagList } from 'react-aria-components/TagGroup'
import { CloseIcon } from './icons'
import chip from './Chip.module.css'
import css from './TagList.module.css'

export interface TagListProps {
  /** Their name: "Tags of web-1". */
  label: string
  tags: readonly string[]
  /** Makes them removable, also with Delete and Backspace. */
  onRemove?: ((tag: string) => void) | undefined
}

/** Tags in a row. Arrow keys walk, Delete removes. */
export function TagList({ label, tags, onRemove }: TagListProps) {
  return (
    <TagGroup
      aria-label={label}
      {...(onRemove && { onRemove: (keys) => [...keys].forEach((key) => onRemove(String(key))) })}
    >
      <AriaTagList className={css.tags ?? ''}>
        {tags.map((tag) => (
          <Tag className={chip.chip ?? ''} key={tag} id={tag} textValue={tag}>
            <span className={chip.words}>{tag}</span>
            {onRemove && (
              <Button slot="remove" className={chip.remove ?? ''}>
                <CloseIcon />
              </Button>
            )}
          </Tag>
        ))}
      </AriaTagList>
    </TagGroup>
  )
}
