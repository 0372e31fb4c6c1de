import { MiB } from '@mainstay/contract/core/bytes'
import { Amount, Bytes } from '../../../ui/values/Bytes'
import css from './FlavorSize.module.css'

/** Renders "2 vCPU  4 GiB" with both parts end-aligned, so that sizes can be compared down a column. */
export const FlavorSize = ({ vcpus, ram }: { vcpus: number; ram: number }) => (
  <span className={css.size}>
    <Amount of={vcpus} unit="vCPU" />
    <Bytes of={ram * MiB} />
  </span>
)
