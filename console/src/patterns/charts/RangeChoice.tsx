import { useId } from 'react'
import { create } from 'zustand'
import { useT } from '../../i18n/use-t'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { useSearchParam } from '../../nav/use-param'
import { rangeIds, type RangeId } from './ranges'
import css from './charts.module.css'

type Range = readonly [range: RangeId, choose: (range: RangeId) => void]

/** The time range for all charts, kept when the user navigates to another page. */
const useChosen = create<{ range: RangeId }>()(() => ({ range: '24h' }))
const choose = (range: RangeId) => useChosen.setState({ range })

export const useRange = (): Range => [useChosen(({ range }) => range), choose]

/** Like `useRange`, but also in the URL (`?range=7d`), so that shared links show the same range. */
export function useRangeInAddress(path: string): Range {
  const go = useAppNavigate()
  const chosen = useChosen(({ range }) => range)
  const asked = useSearchParam('range')
  return [
    rangeIds.find((id) => id === asked) ?? chosen,
    (range) => {
      choose(range)
      go(path, { search: { range }, replace: true })
    },
  ]
}

export function RangeChoice({ range, onChange }: { range: RangeId; onChange: (range: RangeId) => void }) {
  const t = useT('monitoring')
  const name = useId()
  return (
    <fieldset className={css.ranges}>
      <legend>{t('range')}</legend>
      {rangeIds.map((id) => (
        <label key={id} className={css.range}>
          <input type="radio" name={name} checked={id === range} onChange={() => onChange(id)} />
          <span dir="auto">{t(`range.${id}`)}</span>
        </label>
      ))}
    </fieldset>
  )
}
