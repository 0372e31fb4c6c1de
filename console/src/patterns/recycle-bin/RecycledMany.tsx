import { useT } from '../../i18n/use-t'

/** Part of a bulk delete dialog: how long the objects can be restored. */
export default function RecycledMany({ days }: { days: number }) {
  return <p>{useT('recycleBin')('choice.keptMany', { days })}</p>
}
