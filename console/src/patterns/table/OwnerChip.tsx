import { useT } from '../../i18n/use-t'
import { Chip } from '../../ui/values/Chip'
import { useOwnerNames } from '../owners/owner-names'
import { isExcluding, valuesOf, type ListFilter } from './filter-text'

interface OwnerChipProps {
  of: 'project' | 'domain'
  filter: ListFilter
  text: string
  onRemove: () => void
}

/** Chip for an owner filter; shows names instead of IDs. */
export default function OwnerChip({ of, filter, text, onRemove }: OwnerChipProps) {
  const t = useT('patterns')
  const value = useOwnerNames(of, valuesOf(filter, text)).join(', ')
  return (
    <Chip name={filter.label} onRemove={onRemove}>
      {isExcluding(filter, text) ? t('table.not', { value }) : value}
    </Chip>
  )
}
