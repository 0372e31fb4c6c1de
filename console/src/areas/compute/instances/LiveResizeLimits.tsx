import type { Instance } from '@mainstay/contract/compute/instances'
import { MiB } from '@mainstay/contract/core/bytes'
import { useFormat } from '../../../i18n/use-format'
import { useT } from '../../../i18n/use-t'

/** Describes the maximum size to which a running instance can grow. */
export function LiveResizeLimits({ instance: { allow_live_resize, max_vcpu, max_mem } }: { instance: Instance }) {
  const t = useT('instance')
  const list = useT('instances')
  const format = useFormat()
  if (!allow_live_resize) return list('instances.off')
  if (max_vcpu === null || max_mem === null) return t('instances.liveResize.fromNextStart')
  return t('instances.liveResize.upTo', { vcpus: max_vcpu, memory: format.bytes(max_mem * MiB) })
}
