import { compute } from './compute/messages'
import { core } from './core/messages'
import { identity } from './identity/messages'
import { loadBalancing } from './load-balancing/messages'
import { monitoring } from './monitoring/messages'
import { networking } from './networking/messages'
import { objectStorage } from './object-storage/messages'
import { settings } from './settings/messages'
import { storage } from './storage/messages'
import { vpn } from './vpn/messages'

/**
 * Every sentence that says why something is refused, by area, in English and in the ICU message format. An entry is its text, or
 * its `err_code` and its text; without a code it is `validation`. Its key is area and name: `networking.cidr_overlaps`.
 */
export const messages = {
  compute,
  core,
  identity,
  loadBalancing,
  monitoring,
  networking,
  objectStorage,
  settings,
  storage,
  vpn,
}
