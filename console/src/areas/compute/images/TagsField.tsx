import { useState } from 'react'
import { Tag } from '@mainstay/contract/core/names'
import { useRuleText } from '../../../i18n/said'
import { useT } from '../../../i18n/use-t'
import { useBound } from '../../../patterns/form/use-bound'
import { TagList } from '../../../ui/values/TagList'
import { TextField } from '../../../ui/fields/TextField'
import css from './TagsField.module.css'

/** Tags field: a comma or Enter adds a tag, Backspace in the empty input removes the last one. */
export function TagsField({ name, label }: { name: string; label: string }) {
  const t = useT('images')
  const { value: tags, onChange, onBlur, isDisabled, error } = useBound<string[]>(name)
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState<string>()

  function add(text: string) {
    const found = text
      .split(',')
      .map((part) => part.trim())
      .filter(Boolean)
    const wrong = found.map((tag) => Tag.safeParse(tag).error?.issues[0]?.message).find(Boolean)
    setFault(wrong)
    if (wrong) return
    setTyped('')
    if (found.length > 0) onChange([...new Set([...tags, ...found])])
  }
  const said = useRuleText(fault)
  const shownFault = error ?? said

  return (
    <div className={css.tags}>
      <TextField
        label={label}
        isOptional
        help={t('images.tagsHelp')}
        {...(shownFault !== undefined && { error: shownFault })}
        isDisabled={isDisabled}
        value={typed}
        onChange={(text) => (text.includes(',') ? add(text) : setTyped(text))}
        onBlur={() => {
          add(typed)
          onBlur()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && typed !== '') {
            event.preventDefault()
            add(typed)
          } else if (event.key === 'Backspace' && typed === '' && tags.length > 0) onChange(tags.slice(0, -1))
          else event.continuePropagation()
        }}
      />
      {tags.length > 0 && (
        <TagList label={label} tags={tags} onRemove={(gone) => onChange(tags.filter((tag) => tag !== gone))} />
      )}
    </div>
  )
}
