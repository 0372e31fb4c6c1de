import { useId, type ReactNode } from 'react'
import { useT } from '../../../i18n/use-t'
import css from './ReasonedPicker.module.css'

export interface ReasonedItem {
  id: string
  name: ReactNode
  /** Shown dimmed at the end of the row. */
  end?: ReactNode
  /** Why the item cannot be chosen. */
  reason?: string | undefined
  /** Link to a page where the user can make the item available. */
  fix?: ReactNode
}

interface ReasonedPickerProps {
  label: string
  items: readonly ReasonedItem[]
  chosen: string | null
  onChoose: (id: string) => void
  /** Heading above the available items. `cannotTitle` is the heading above the unavailable ones. */
  canTitle: string
  cannotTitle: string
}

/**
 * Lists available items first, then unavailable ones with a reason and a fix. Uses native radio buttons, so that arrow
 * keys work.
 */
export function ReasonedPicker({ label, items, chosen, onChoose, canTitle, cannotTitle }: ReasonedPickerProps) {
  const t = useT('networking')
  const name = useId()
  const can = items.filter(({ reason }) => reason === undefined)
  const cannot = items.filter(({ reason }) => reason !== undefined)
  return (
    <div role="radiogroup" aria-label={label} className={css.picker}>
      <h3 className={css.title}>{t('picker.count', { title: canTitle, count: can.length })}</h3>
      {can.length > 0 && (
        <ul className={css.list}>
          {can.map(({ id, name: itemName, end }) => (
            <li key={id} data-chosen={id === chosen || undefined}>
              <label className={css.item}>
                <input type="radio" name={name} checked={id === chosen} onChange={() => onChoose(id)} />
                <span className={css.words}>{itemName}</span>
                {end && <span className={css.end}>{end}</span>}
              </label>
            </li>
          ))}
        </ul>
      )}
      {cannot.length > 0 && (
        <>
          <h3 className={css.title}>{t('picker.count', { title: cannotTitle, count: cannot.length })}</h3>
          <ul className={css.list}>
            {cannot.map(({ id, name: itemName, reason, fix }) => (
              <li key={id} className={css.item}>
                <input type="radio" aria-disabled="true" disabled aria-label={reason} />
                <span className={css.words}>
                  <span className={css.dim}>{itemName}</span>
                  <span className={css.reason}>{reason}</span>
                </span>
                {fix && <span className={css.end}>{fix}</span>}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
