package llama;

/**
 * Cosines and sines of the angles by which a position turns each pair of a head's elements.
 *
 * @param cosine positions by half a head's width
 */
record Rotations(float[] cosine, float[] sine) {
    static Rotations of(Config config) {
        double[] frequencies = config.frequencies();
        int half = frequencies.length;
        float[] cosine = new float[config.context() * half], sine = new float[config.context() * half];
        for (int i = 0; i < cosine.length; i++) {
            double angle = i / half * frequencies[i % half];
            cosine[i] = (float) StrictMath.cos(angle);
            sine[i] = (float) StrictMath.sin(angle);
        }
        return new Rotations(cosine, sine);
    }
}
