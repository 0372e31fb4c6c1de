import type { Ref } from 'react'
import type { Row } from '../../api/use-list'
import { rowKey, useRecentChanges } from '../../api/changes'
import { classes } from '../../lib/classes'
import { textsNow, useT } from '../../i18n/use-t'
import { Checkbox } from '../../ui/fields/Checkbox'
import { IconButton } from '../../ui/IconButton'
import { MoreIcon } from '../../ui/icons'
import { LazyMenu } from '../LazyMenu'
import type { Column } from './columns'
import type { ActionsOf } from './row-action'
import css from './TableGrid.module.css'

interface TableRowProps<Item extends Row> {
  actions: ActionsOf<Item> | undefined
  ref?: Ref<HTMLTableRowElement> | undefined
  index: number
  item: Item
  kind: string
  columns: readonly Column<Item>[]
  /** Has the focus, or would have it: the one row that Tab goes through. */
  isCurrent: boolean
  /** Undefined where rows cannot be ticked. */
  isSelected: boolean | undefined
  onToggle: (isRange: boolean) => void
  onFocus: () => void
}

/** One row, or below 768 px one card. */
export function TableRow<Item extends Row>(props: TableRowProps<Item>) {
  const { ref, index, item, kind, columns, actions, isCurrent, isSelected, onToggle, onFocus } = props
  const t = useT('patterns')
  const hasChanged = useRecentChanges(({ rows }) => rows.has(rowKey(kind, item.id)))
  const name = (item as { name?: string }).name ?? item.id
  const tabIndex = isCurrent ? 0 : -1
  const menu = actions?.(item)
  const likely = menu?.find(({ isLikely }) => isLikely)

  return (
    <tr
      ref={ref}
      className={classes(css.row, isSelected && css.selected, hasChanged && css.changed)}
      data-index={index}
      data-row={item.id}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-label={name}
      tabIndex={tabIndex}
      onFocus={onFocus}
      onClick={(event) => {
        if (event.shiftKey && isSelected !== undefined) {
          getSelection()?.removeAllRanges()
          onToggle(true)
        }
      }}
    >
      {isSelected !== undefined && (
        <td className={css.mark}>
          <Checkbox
            aria-label={t('table.select', { name })}
            isSelected={isSelected}
            excludeFromTabOrder={!isCurrent}
            onChange={() => onToggle(false)}
          />
        </td>
      )}
      {columns.map((column, at) => (
        <td
          key={column.id}
          className={classes(at === 0 && css.first, column.isAtEnd && css.atEnd)}
          data-label={textsNow(column.area)(column.label)}
        >
          {column.render(item, { tabIndex, t: textsNow(column.area) })}
        </td>
      ))}
      {menu && (
        <td className={css.actions}>
          <span className={css.buttons}>
            {likely?.icon && (
              <span className={css.likely}>
                <IconButton
                  icon={likely.icon}
                  label={likely.label}
                  size="small"
                  excludeFromTabOrder={!isCurrent}
                  disabledBecause={likely.disabledBecause}
                  onPress={() => likely.run?.()}
                />
              </span>
            )}
            {menu.length > 0 && (
              <LazyMenu
                label={t('table.actionsOf', { name })}
                items={menu}
                trigger={
                  <IconButton
                    icon={MoreIcon}
                    label={t('table.actionsOf', { name })}
                    size="small"
                    excludeFromTabOrder={!isCurrent}
                  />
                }
              />
            )}
          </span>
        </td>
      )}
    </tr>
  )
}
