import { useState, type ReactNode } from 'react'
import { useT } from '../../i18n/use-t'
import { Checkbox } from '../../ui/fields/Checkbox'
import css from './RecycleChoice.module.css'

interface RecycleChoiceProps {
  days: number
  onChange: (isPermanent: boolean) => void
  /** Describes the consequences of the choice. */
  children: (isPermanent: boolean) => ReactNode
}

/** Part of a delete dialog: how long the object can be restored, and a checkbox to delete it permanently instead. */
export function RecycleChoice({ days, onChange, children }: RecycleChoiceProps) {
  const t = useT('recycleBin')
  const [isPermanent, setPermanent] = useState(false)
  return (
    <div className={css.parts}>
      <p role="status">{isPermanent ? t('choice.final') : t('choice.kept', { days })}</p>
      {children(isPermanent)}
      <Checkbox
        isSelected={isPermanent}
        onChange={(on) => {
          setPermanent(on)
          onChange(on)
        }}
      >
        {t('choice.atOnce')}
      </Checkbox>
    </div>
  )
}
