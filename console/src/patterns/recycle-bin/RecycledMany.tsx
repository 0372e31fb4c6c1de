import { useT } from '../../i18n/use-t'

/** In a question before many are deleted: for how long they can be restored. */
export default function RecycledMany({ days }: { days: number }) {
  return <p>{useT('recycleBin')('choice.keptMany', { days })}</p>
}
