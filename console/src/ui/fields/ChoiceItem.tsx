import { ListBoxItem } from 'react-aria-components/ListBox'
import { CheckIcon } from '../icons'
import type { Choice } from './choice'
import css from '../list.module.css'

/** An option in the list of a select or combobox. Internal to this folder. */
export function ChoiceItem({ choice }: { choice: Choice }) {
  const { id, label, icon: ItemIcon, end, disabledBecause } = choice
  const description = disabledBecause ?? choice.description
  return (
    <ListBoxItem className={css.item ?? ''} id={id} textValue={label} isDisabled={disabledBecause !== undefined}>
      {({ isSelected }) => (
        <>
          {ItemIcon && <ItemIcon />}
          <span className={css.words}>
            <span className={css.label}>{label}</span>
            {description && <span className={css.description}>{description}</span>}
          </span>
          {end && <bdi className={css.end}>{end}</bdi>}
          <span className={css.check}>{isSelected && <CheckIcon />}</span>
        </>
      )}
    </ListBoxItem>
  )
}
