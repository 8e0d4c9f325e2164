package dev.tilewright.doctor.examination;

import dev.tilewright.BadRequestException;
import dev.tilewright.doctor.machine.Machine;
import dev.tilewright.gpu.EncoderChoice;
import dev.tilewright.ptx.Target;
import java.util.List;
import java.util.stream.Collectors;

/** What encodes the tensor maps of launches: each GPU has its default, the property is for all. */
final class Encoders implements Examination {
    private static final String SUBJECT = "encoder";

    @Override
    public List<Finding> of(Machine machine) {
        String override = machine.settings().get(EncoderChoice.PROPERTY);
        String why = override == null ? "the default" : "-D" + EncoderChoice.PROPERTY + "=" + override;
        try {
            String encoders = machine.gpus().stream().filter(d -> d.major() >= Target.SM_90.major())
                    .map(d -> EncoderChoice.configured(Target.parse(d.target())).title() + " for gpu " + d.ordinal())
                    .collect(Collectors.joining(", "));
            return List.of(Finding.ok(SUBJECT, "tensor maps are encoded by " + (encoders.isEmpty()
                    ? EncoderChoice.configured(Target.SM_90).title() + " for sm_90" : encoders) + " (" + why + ")"));
        } catch (BadRequestException e) {
            return List.of(Finding.broken(SUBJECT, e.getMessage(), "correct it, or leave it out for the default"));
        }
    }
}
