import type { ComponentType } from 'react'
import type { Access } from '@mainstay/contract/core/endpoint'
import type { Key } from '../../i18n/catalogues'

export interface MenuEntry {
  label: Key<'shell'>
  icon: ComponentType
  to: string
  needs: Access
}

export interface MenuGroup {
  label: Key<'shell'>
  /** Not there without this service. */
  service?: 'compute' | 's3'
  entries: readonly MenuEntry[]
}
