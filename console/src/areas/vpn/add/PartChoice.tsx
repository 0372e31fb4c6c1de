import { useT } from '../../../i18n/use-t'
import { useBound } from '../../../patterns/form/use-bound'
import { SegmentedControl } from '../../../ui/SegmentedControl'
import type { Way } from '../vpn-form'

/** Choice between a new object and an existing one; hidden if none exist. */
export function PartChoice({ name, label, count }: { name: string; label: string; count: number }) {
  const t = useT('vpn')
  const { value, onChange } = useBound<Way>(name)
  if (count === 0) return null
  return (
    <div>
      <SegmentedControl
        label={label}
        value={value}
        onChange={onChange}
        items={[
          { id: 'new', label: t('way.new') },
          { id: 'have', label: t('way.have'), detail: count },
        ]}
      />
    </div>
  )
}
