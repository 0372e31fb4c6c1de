import type { ReactElement } from 'react'
import { Menu as AriaMenu, MenuItem, MenuSection, MenuTrigger } from 'react-aria-components/Menu'
import { Popover } from 'react-aria-components/Popover'
import { Separator } from 'react-aria-components/Separator'
import { CheckIcon } from '../icons'
import css from '../list.module.css'

export interface MenuChoice<Id extends string = string> {
  id: Id
  label: string
  description?: string | undefined
  isDisabled?: boolean | undefined
}

export interface ChoiceMenuProps<Id extends string> {
  label: string
  trigger: ReactElement
  items: readonly MenuChoice<Id>[]
  chosen: Iterable<Id>
  onChange: (chosen: Id[]) => void
  /** `one` closes on selection; `many` stays open, for example for table columns. */
  of?: 'one' | 'many' | undefined
  placement?: 'bottom start' | 'bottom end' | undefined
  /** Restores the default selection; shown below a separator. */
  reset?: { label: string; run: () => void } | undefined
}

/** A menu with checkable items, such as table columns or the types in a filter. */
export function ChoiceMenu<Id extends string>(props: ChoiceMenuProps<Id>) {
  const { label, trigger, items, chosen, onChange, of = 'many', placement = 'bottom end', reset } = props
  return (
    <MenuTrigger>
      {trigger}
      <Popover className={css.popover ?? ''} placement={placement} offset={4}>
        <AriaMenu
          className={css.list ?? ''}
          aria-label={label}
          selectionMode={of === 'one' ? 'single' : 'multiple'}
          shouldCloseOnSelect={of === 'one'}
          disallowEmptySelection={of === 'one'}
          selectedKeys={chosen}
          onSelectionChange={(keys) =>
            onChange(items.filter(({ id }) => keys === 'all' || keys.has(id)).map(({ id }) => id))
          }
        >
          {items.map((item) => (
            <MenuItem
              className={css.item ?? ''}
              key={item.id}
              id={item.id}
              textValue={item.label}
              isDisabled={item.isDisabled ?? false}
            >
              {({ isSelected }) => (
                <>
                  <span className={css.check}>{isSelected && <CheckIcon />}</span>
                  <span className={css.words}>
                    <span className={css.label}>{item.label}</span>
                    {item.description && <span className={css.description}>{item.description}</span>}
                  </span>
                </>
              )}
            </MenuItem>
          ))}
          {reset && <Separator className={css.line ?? ''} />}
          {reset && (
            // an action, so it has no check mark
            <MenuSection selectionMode="none" aria-label={reset.label}>
              <MenuItem className={css.item ?? ''} onAction={reset.run}>
                <span className={css.check} />
                {reset.label}
              </MenuItem>
            </MenuSection>
          )}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}
