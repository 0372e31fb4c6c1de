/* VPN connection forms, bundled into one chunk. */
export { default as VpnAddPage } from './add/VpnAddPage'
export { default as VpnEditForm } from './VpnEditForm'
