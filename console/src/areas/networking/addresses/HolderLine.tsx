import type { AddressHolder } from '@mainstay/contract/networking/networks'
import { useT } from '../../../i18n/use-t'
import { viewPath } from '../../../nav/known-pages'
import { Link } from '../../../nav/Link'
import { Mono } from '../../../ui/values/Mono'
import type { AddressCell } from './map'
import css from './AddressMap.module.css'

const kinds: Readonly<Partial<Record<AddressHolder['kind'], string>>> = {
  instance: 'server',
  router: 'router',
  floating_ip: 'floating_ip',
}

/** Name of the object that holds an address, as a link if the object has a page. */
export function HolderName({ holder }: { holder: AddressHolder }) {
  const { kind, object_id: id, object_name: name } = holder
  const of = kinds[kind]
  const to = of && id !== null ? viewPath(of, id) : undefined
  return to ? <Link to={to}>{name || id}</Link> : <bdi>{name || '–'}</bdi>
}

/** Lists the objects that hold addresses in a cell. */
export function HolderLine({ cell, step, state }: { cell: AddressCell; step: number; state: string }) {
  const t = useT('networking')
  const [first] = cell.holders
  return (
    <>
      <Mono>{step === 1 ? cell.first : `${cell.first} – ${cell.last}`}</Mono>
      {step > 1 && <span className={css.dim}>{t('map.cellUse', { used: cell.holders.length, total: step })}</span>}
      {first === undefined && step === 1 && <span className={css.dim}>{state}</span>}
      {cell.holders.slice(0, 6).map((holder) => (
        <span key={holder.address} className={css.holder}>
          {step > 1 && <Mono>{holder.address}</Mono>}
          <HolderName holder={holder} />
          {step === 1 && holder.mac_address && (
            <span className={css.dim}>
              <Mono>{holder.mac_address}</Mono>
            </span>
          )}
        </span>
      ))}
      {cell.holders.length > 6 && <span className={css.dim}>{t('more', { count: cell.holders.length - 6 })}</span>}
    </>
  )
}
