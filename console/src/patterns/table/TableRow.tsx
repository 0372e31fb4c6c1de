import { memo, type MouseEvent } from 'react'
import type { Row } from '../../api/use-list'
import { rowKey, useRecentChanges } from '../../api/changes'
import { classes } from '../../lib/classes'
import { textsNow, useT } from '../../i18n/use-t'
import { Checkbox } from '../../ui/fields/Checkbox'
import { IconButton } from '../../ui/IconButton'
import { MoreIcon } from '../../ui/icons'
import { LazyMenu } from '../lazy-overlays'
import type { Column } from './columns'
import type { ActionsOf } from './row-action'
import css from './TableGrid.module.css'

interface TableRowProps<Item extends Row> {
  actions: ActionsOf<Item> | undefined
  index: number
  item: Item
  kind: string
  columns: readonly Column<Item>[]
  /** Whether this row is in the tab order: it has the focus or would receive it. */
  isCurrent: boolean
  /** Whether the row is selected; undefined if rows cannot be selected. */
  isSelected: boolean | undefined
  onToggle: (item: Item, isRange: boolean) => void
  onFocus: (id: string) => void
}

/** Also true for overlays, whose events bubble through the row that opened them in the React tree. */
const isControl = ({ target, currentTarget }: MouseEvent<HTMLElement>) =>
  !currentTarget.contains(target as Node) ||
  (target as Element).closest('a, button, label, input, select, textarea') !== null
/** The selection checkbox, which handles its own clicks. */
const isMark = ({ target }: MouseEvent<HTMLElement>) => (target as Element).closest('label') !== null
const hasMarkedText = () => (getSelection()?.toString() ?? '') !== ''

/** A plain click outside the row's controls, unless text is selected for copying. */
const opensRow = (event: MouseEvent<HTMLElement>) =>
  !event.metaKey && !event.ctrlKey && !event.altKey && !isControl(event) && !hasMarkedText()

/** A row, or a card below 768 px. Memoized, so that scrolling renders only new rows. */
export const TableRow = memo(DrawnRow) as typeof DrawnRow

function DrawnRow<Item extends Row>(props: TableRowProps<Item>) {
  const { index, item, kind, columns, actions, isCurrent, isSelected, onToggle, onFocus } = props
  const t = useT('patterns')
  const hasChanged = useRecentChanges(({ rows }) => rows.has(rowKey(kind, item.id)))
  const { name: own, host } = item as { name?: string; host?: string }
  const name = own ?? host ?? item.id
  const tabIndex = isCurrent ? 0 : -1
  const menu = actions?.(item)
  const likely = menu?.find(({ isLikely }) => isLikely)

  return (
    <tr
      className={classes(css.row, isSelected && css.selected, hasChanged && css.changed)}
      data-index={index}
      data-row={item.id}
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      aria-label={name}
      tabIndex={tabIndex}
      onFocus={() => onFocus(item.id)}
      onClick={(event) => {
        if (event.shiftKey && isSelected !== undefined && !isMark(event)) {
          getSelection()?.removeAllRanges()
          onToggle(item, true)
        } else if (opensRow(event)) event.currentTarget.querySelector('a')?.click()
      }}
      onContextMenu={(event) => {
        // links and selected text keep the browser's context menu
        if (isControl(event) || hasMarkedText()) return
        const button = event.currentTarget.querySelector<HTMLElement>('[data-menu] button')
        if (!button) return
        event.preventDefault()
        button.click()
      }}
    >
      {isSelected !== undefined && (
        <td className={css.mark}>
          <Checkbox
            aria-label={t('table.select', { name })}
            isSelected={isSelected}
            excludeFromTabOrder={!isCurrent}
            onChange={(_, { isRange }) => onToggle(item, isRange)}
          />
        </td>
      )}
      {columns.map((column, at) => (
        <td
          key={column.id}
          className={classes(at === 0 && css.first, at > 0 && css[column.card], column.isAtEnd && css.atEnd)}
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
              <span data-menu>
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
              </span>
            )}
          </span>
        </td>
      )}
    </tr>
  )
}
