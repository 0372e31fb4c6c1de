import { useState, type ReactNode } from 'react'
import { useT } from '../../i18n/use-t'
import { Checkbox } from '../../ui/fields/Checkbox'
import css from './RecycleChoice.module.css'

interface RecycleChoiceProps {
  days: number
  onChange: (isPermanent: boolean) => void
  /** What follows, by the choice. */
  children: (isPermanent: boolean) => ReactNode
}

/** In a question before something is deleted: for how long it can be restored, and the choice to delete it for good at once. */
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
