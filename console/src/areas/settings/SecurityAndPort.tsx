import { useRef } from 'react'
import { connectionSecurities, type ConnectionSecurity } from '@mainstay/contract/settings/notifications'
import type { Key } from '../../i18n/catalogues'
import { useT } from '../../i18n/use-t'
import { useBound } from '../../patterns/form/use-bound'
import { Banner } from '../../ui/feedback/Banner'
import { NumberField } from '../../ui/fields/NumberField'
import { Select } from '../../ui/fields/Select'

type BySecurity<Value> = Readonly<Record<ConnectionSecurity, Value>>

interface SecurityAndPortProps {
  /** Prefix for the two field names, such as `smtp_settings.`. */
  prefix?: string
  usual: BySecurity<number>
  texts: BySecurity<Key<'settings'>>
  /** The warning for unencrypted connections. */
  open: string
}

/**
 * Fields for a server's connection security and port. The port follows the security setting until the user edits it.
 */
export function SecurityAndPort({ prefix = '', usual, texts, open }: SecurityAndPortProps) {
  const t = useT('settings')
  const security = useBound<ConnectionSecurity>(`${prefix}connection_security`)
  const port = useBound<number | null>(`${prefix}port`)
  const isPortOwn = useRef(port.value !== usual[security.value])
  return (
    <>
      <Select
        {...security}
        label={t('email.security')}
        items={connectionSecurities.map((one) => ({ id: one, label: t(texts[one]) }))}
        onChange={(next) => {
          security.onChange(next)
          if (!isPortOwn.current) port.onChange(usual[next])
        }}
      />
      {security.value === 'none' && <Banner tone="warn">{open}</Banner>}
      <NumberField
        {...port}
        label={t('email.port')}
        minValue={1}
        maxValue={65_535}
        formatOptions={{ useGrouping: false }}
        onChange={(next) => {
          isPortOwn.current = true
          port.onChange(next)
        }}
      />
    </>
  )
}
